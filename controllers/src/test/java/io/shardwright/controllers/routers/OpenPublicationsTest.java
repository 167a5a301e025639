package io.shardwright.controllers.routers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.Role;
import io.shardwright.routing.TableOrder;
import java.time.Instant;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class OpenPublicationsTest {
    private static final Instant EIGHT = Instant.parse("2026-03-01T08:00:00Z");

    private final OpenPublications publications = new OpenPublications();

    private void publish(long incarnation, long revision, long second) {
        publications.published(new TableOrder(incarnation, revision, revision), EIGHT.plusSeconds(second));
    }

    @Test
    void countsFromTheOldestTableThatARoleLacksAndNotFromTheTimeWhenItWasLastUpToDate() {
        LongStream.rangeClosed(1, 100).forEach(revision -> publish(1, revision, revision));

        assertThat(publications.oldest(Role.WEB, revision -> revision <= 98)).contains(EIGHT.plusSeconds(99));
        assertThat(publications.oldest(Role.WEB, revision -> revision <= 100)).isEmpty();
    }

    @Test
    void countsEachRoleForItself() {
        publish(1, 7, 0);

        assertThat(publications.oldest(Role.WORKER, revision -> true)).isEmpty();
        assertThat(publications.oldest(Role.WEB, revision -> false)).contains(EIGHT);
    }

    @Test
    void doesNotBeginAnewWhenATableIsSeenAgain() {
        publish(1, 7, 0);
        publish(1, 7, 50);

        assertThat(publications.oldest(Role.WEB, revision -> false)).contains(EIGHT);
    }

    @Test
    void owesATableAtMostOnceEvenWhenARouterThatHadItFallsSilent() {
        publish(1, 7, 0);
        publications.oldest(Role.WEB, revision -> true);

        assertThat(publications.oldest(Role.WEB, revision -> false)).isEmpty();
    }

    @Test
    void forgetsTheTablesOfAnEarlierIncarnation() {
        publish(1, 7, 0);
        publish(2, 1, 60);

        assertThat(publications.oldest(Role.WEB, revision -> false)).contains(EIGHT.plusSeconds(60));
    }

    @Test
    void keepsTheOldestOfVeryMany() {
        LongStream.rangeClosed(1, 5_000).forEach(revision -> publish(1, revision, revision));

        assertThat(publications.oldest(Role.WEB, revision -> false)).contains(EIGHT.plusSeconds(1));
        assertThat(publications.oldest(Role.WEB, revision -> revision <= 5_000)).isEmpty();
    }
}
