package io.shardwright.controllers.routers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.Role;
import io.shardwright.routing.TableOrder;
import java.time.Instant;
import java.util.Optional;
import java.util.function.LongPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OpenPublicationsTest {
    private static final Instant EIGHT = Instant.parse("2026-03-01T08:00:00Z");

    private final OpenPublications publications = new OpenPublications();

    private void publish(long incarnation, long revision, long second) {
        publications.published(new TableOrder(incarnation, revision, revision), EIGHT.plusSeconds(second));
    }

    private Optional<Instant> owed(Role role, LongPredicate acknowledged) {
        return publications.owedSince(role, false, EIGHT.plusSeconds(1_000), acknowledged);
    }

    private Optional<Instant> awaited(long second, LongPredicate acknowledged) {
        return publications.owedSince(Role.WEB, true, EIGHT.plusSeconds(second), acknowledged);
    }

    @Test
    void countsFromTheOldestTableThatARoleLacksAndNotFromTheTimeWhenItWasLastUpToDate() {
        LongStream.rangeClosed(1, 100).forEach(revision -> publish(1, revision, revision));

        assertThat(owed(Role.WEB, revision -> revision <= 98)).contains(EIGHT.plusSeconds(99));
        assertThat(owed(Role.WEB, revision -> revision <= 100)).isEmpty();
    }

    @Test
    void countsEachRoleForItself() {
        publish(1, 7, 0);

        assertThat(owed(Role.WORKER, revision -> true)).isEmpty();
        assertThat(owed(Role.WEB, revision -> false)).contains(EIGHT);
    }

    @Test
    void doesNotBeginAnewWhenATableIsSeenAgain() {
        publish(1, 7, 0);
        publish(1, 7, 50);

        assertThat(owed(Role.WEB, revision -> false)).contains(EIGHT);
    }

    @Test
    void tellsOfARouterThatFellSilentOnlyWhileSomebodyWaitsForIt() {
        publish(1, 7, 0);
        assertThat(awaited(1, revision -> true)).isEmpty();

        assertThat(owed(Role.WEB, revision -> false)).isEmpty();
        assertThat(awaited(1_060, revision -> false)).contains(EIGHT.plusSeconds(1_000));
        assertThat(awaited(1_070, revision -> true)).isEmpty();
        assertThat(awaited(1_080, revision -> false)).contains(EIGHT.plusSeconds(1_080));
    }

    @Test
    void tellsOfANewTableThatASilentRouterLacksWhoeverWaits() {
        publish(1, 7, 0);
        owed(Role.WEB, revision -> true);
        owed(Role.WEB, revision -> false);
        publish(1, 8, 500);

        assertThat(owed(Role.WEB, revision -> false)).contains(EIGHT.plusSeconds(500));
    }

    @Test
    void owesNothingBeforeThereIsATable() {
        assertThat(awaited(1, revision -> false)).isEmpty();
    }

    @Test
    void forgetsTheTablesOfAnEarlierIncarnation() {
        publish(1, 7, 0);
        publish(2, 1, 60);

        assertThat(owed(Role.WEB, revision -> false)).contains(EIGHT.plusSeconds(60));
    }

    @Test
    void keepsTheOldestOfVeryMany() {
        LongStream.rangeClosed(1, 5_000).forEach(revision -> publish(1, revision, revision));

        assertThat(owed(Role.WEB, revision -> false)).contains(EIGHT.plusSeconds(1));
        assertThat(owed(Role.WEB, revision -> revision <= 5_000)).isEmpty();
    }
}
