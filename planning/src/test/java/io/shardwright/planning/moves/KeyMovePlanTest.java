package io.shardwright.planning.moves;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.Intent;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.MoveObservation.TableView;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys move as buckets do: what is decided about one is decided about the other, but where a key has come home. */
class KeyMovePlanTest {
    private static Scope key(Scope bucket) {
        return Scope.key("tenant-" + bucket.bucket(), bucket.bucket());
    }

    private static SortedSet<Scope> keys(SortedSet<Scope> buckets) {
        SortedSet<Scope> keys = new TreeSet<>();
        buckets.forEach(bucket -> keys.add(key(bucket)));
        return keys;
    }

    private static SortedMap<Scope, FenceRow> rows(SortedMap<Scope, FenceRow> buckets) {
        SortedMap<Scope, FenceRow> keys = new TreeMap<>();
        buckets.forEach((bucket, row) -> keys.put(key(bucket), row.of(key(bucket))));
        return keys;
    }

    private static Task task(Task of) {
        return new Task(
                of.moveId(),
                of.otherLeg(),
                of.leg(),
                of.from(),
                of.to(),
                keys(of.scopes()),
                of.switchGroup(),
                of.handoverTimeout(),
                of.soak());
    }

    private static Truth truth(Truth of) {
        SortedMap<Scope, String> demoted = new TreeMap<>();
        of.demoted().forEach((bucket, shard) -> demoted.put(key(bucket), shard));
        return new Truth(rows(of.source()), rows(of.target()), of.resumable(), of.age(), demoted);
    }

    private static TableView table(TableView of) {
        return new TableView(
                keys(of.announced()),
                keys(of.visibleToWorkers()),
                keys(of.visibleToWeb()),
                keys(of.folded()),
                of.sinceChange(),
                of.sinceWorkers(),
                of.sinceWeb());
    }

    private static MoveObservation ofKeys(MoveObservation seen, UnaryOperator<Truth> rows) {
        return new MoveObservation(
                task(seen.task()),
                seen.stored(),
                seen.intent(),
                seen.pointOfNoReturn(),
                seen.admission(),
                seen.truth().map(KeyMovePlanTest::truth).map(rows),
                seen.mover(),
                seen.wayBack(),
                table(seen.table()),
                seen.acks(),
                seen.forceReclaim(),
                seen.foldedFor(),
                seen.drain(),
                seen.now());
    }

    private static String words(MoveDecision decision, UnaryOperator<SortedSet<Scope>> named) {
        return switch (decision) {
            case MoveDecision.Act act -> act.phase() + " " + act.step() + " " + named.apply(act.group());
            case MoveDecision.Wait wait -> wait.phase() + " waits until " + wait.until();
            case MoveDecision.Aside aside ->
                aside.phase() + " beside " + aside.step().map(step -> words(step, named));
            case MoveDecision.Done done -> done.phase() + " done";
        };
    }

    static Stream<Sight> situations() {
        return Stream.of(
                Sight.aNewMove(),
                Sight.aMove(),
                Sight.aMove().stage(Stage.NONE),
                Sight.aMove().stage(Stage.IN_SYNC),
                Sight.aMove().stage(Stage.NONE).notResumable(),
                Sight.aMove().wanted(Intent.ABORT),
                Sight.aMove().fenced(3),
                Sight.aMove().fenced(3).wanted(Intent.ABORT),
                Sight.aMove().activated(3),
                Sight.aMove().activated(3).activated(17),
                Sight.aMove().aborted(3).aborted(17).stored(MovePhase.ABORTING),
                Sight.aMove().targetLost(3),
                Sight.aMove().notOwner(3),
                Sight.aMove().demoted(3, "ds-0"),
                Sight.aMove().unreadable(),
                Sight.aFoldedMove(),
                Sight.aFoldedMove().wanted(Intent.REVERSE),
                Sight.aSoakingMove(Duration.ofMinutes(5)));
    }

    @ParameterizedTest
    @MethodSource("situations")
    void isDecidedAsThatOfBuckets(Sight sight) {
        MoveObservation buckets = sight.seen();
        MoveObservation keys = ofKeys(buckets, rows -> rows);

        assertThat(words(MovePlanner.plan(keys), group -> group))
                .isEqualTo(words(MovePlanner.plan(buckets), KeyMovePlanTest::keys));
    }

    /** Its rows on the source are gone, then its tombstone there, then the row of its own where its bucket is. */
    private static MoveObservation home(Sight sight, boolean folded) {
        return ofKeys(sight.seen(), rows -> {
            SortedMap<Scope, FenceRow> there = new TreeMap<>(rows.target());
            if (folded) {
                there.replaceAll((key, row) -> new FenceRow(key, FenceState.OWNED, 12, "ds-4", null));
            }
            return new Truth(new TreeMap<>(), there, false, Duration.ZERO, new TreeMap<>());
        });
    }

    private static Sight cleaning() {
        return Sight.aFoldedMove().stored(MovePhase.CLEANING_UP).pastNoReturn().stage(Stage.NONE);
    }

    @Test
    void aKeyThatHasComeHomeHasMovedWhicheverRowsAreGoneAlready() {
        for (boolean folded : new boolean[] {false, true}) {
            MoveDecision decision = MovePlanner.plan(home(cleaning(), folded));
            assertThat(decision.takes(MoveStep.CLEAN_UP) || decision.takes(MoveStep.DISMISS))
                    .as(decision.toString())
                    .isTrue();
            assertThat(MovePlanner.plan(home(cleaning().stage(Stage.CLEANED_UP), folded))
                            .phase())
                    .isEqualTo(MovePhase.SUCCEEDED);
        }
    }

    /** The same rows before the cleanup are none that a move leaves; nobody may take them for a key that has come home. */
    @Test
    void beforeThePointOfNoReturnTheSameRowsNeedAPerson() {
        for (boolean folded : new boolean[] {false, true}) {
            MoveDecision decision = MovePlanner.plan(home(Sight.aMove().stage(Stage.NONE), folded));
            assertThat(decision.phase()).as(decision.toString()).isIn(MovePhase.BLOCKED, MovePhase.FAILED);
        }
    }

    /** It was decided against, and whatever has become of it since was another move's: no table leads to this target. */
    @Test
    void aKeyThatStayedHasNotComeHomeAlsoWhenItsSourceHasNoRow() {
        MoveObservation seen = ofKeys(
                cleaning().aborted(17).seen(),
                rows -> new Truth(new TreeMap<>(), rows.target(), false, Duration.ZERO, new TreeMap<>()));

        assertThat(MovePlanner.plan(seen).phase()).isEqualTo(MovePhase.BLOCKED);
    }

    /** The bucket's own rows are never gone, so a bucket without one is a bucket that was lost. */
    @Test
    void aBucketWhoseRowIsGoneHasNotComeHome() {
        MoveObservation seen = cleaning().seen();
        Truth lost =
                new Truth(new TreeMap<>(), seen.truth().orElseThrow().target(), false, Duration.ZERO, new TreeMap<>());
        MoveObservation bucket = new MoveObservation(
                seen.task(),
                seen.stored(),
                seen.intent(),
                seen.pointOfNoReturn(),
                seen.admission(),
                Optional.of(lost),
                seen.mover(),
                seen.wayBack(),
                seen.table(),
                seen.acks(),
                seen.forceReclaim(),
                seen.foldedFor(),
                seen.drain(),
                seen.now());

        assertThat(MovePlanner.plan(bucket).phase()).isEqualTo(MovePhase.BLOCKED);
    }
}
