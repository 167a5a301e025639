package io.shardwright.planning.arbiter;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveDecision.Blocker;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.windows.Closure;
import io.shardwright.routing.Scope;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class MaintenanceArbiterTest {
    @Test
    void theOldestPendingMoveStarts() {
        Map<String, MaintenanceArbiter.Verdict> verdicts =
                judge(1, pending("b", "ds-0", "ds-4", 1), pending("a", "ds-1", "ds-4", 2));

        assertThat(verdicts.get("b").start()).isEmpty();
        assertThat(verdicts.get("a").start())
                .containsExactly(new Blocker("BucketMove", "b", "is under way, and maxConcurrentMoves is 1"));
    }

    @Test
    void disjointPairsCopyTogetherAsFarAsAllowed() {
        Map<String, MaintenanceArbiter.Verdict> verdicts = judge(
                2,
                move("a", "ds-0", "ds-4", MovePhase.COPYING, 1, 1),
                pending("b", "ds-1", "ds-4", 2),
                pending("c", "ds-2", "ds-4", 3));

        assertThat(verdicts.get("b").start()).isEmpty();
        assertThat(verdicts.get("c").start()).extracting(Blocker::name).containsExactly("a", "b");
    }

    @Test
    void onePairMovesOneAtATimeInBothDirections() {
        Map<String, MaintenanceArbiter.Verdict> verdicts =
                judge(5, move("a", "ds-0", "ds-4", MovePhase.COPYING, 1, 1), pending("b", "ds-4", "ds-0", 2));

        assertThat(verdicts.get("b").start())
                .containsExactly(new Blocker("BucketMove", "a", "moves between the same two shards"));
    }

    @Test
    void theSameBucketWaitsUntilTheMoveBeforeHasEnded() {
        Candidate cleaning = move("a", "ds-0", "ds-4", MovePhase.CLEANING_UP, 9, 1);
        Candidate next = new Candidate(
                "b", "ds-4", "ds-1", cleaning.scopes(), MovePhase.PENDING, Optional.empty(), false, at(2));

        assertThat(judge(5, cleaning, next).get("b").start())
                .containsExactly(new Blocker("BucketMove", "a", "moves a bucket or a key of the same set"));
    }

    @Test
    void aFoldedMoveReservesItsOwnBucketsOnly() {
        Candidate waiting = new Candidate(
                "a", "ds-0", "ds-4", Scope.buckets(1), MovePhase.PUBLISHING, Optional.empty(), true, at(1));

        assertThat(judge(1, waiting, pending("b", "ds-0", "ds-4", 2)).get("b").start())
                .isEmpty();
    }

    /** Its map entries are of yesterday's direction, so that all is folded says nothing of a reversal. */
    @Test
    void aReversalIsActiveWhateverTheMoveItselfShows() {
        for (MovePhase shown : List.of(MovePhase.REVERSING, MovePhase.PAUSED, MovePhase.BLOCKED)) {
            Candidate reversing = reversal("a", shown, MovePhase.READY, false);

            assertThat(judge(5, reversing, pending("b", "ds-0", "ds-4", 2))
                            .get("b")
                            .start())
                    .as(shown.wire())
                    .containsExactly(new Blocker("BucketMove", "a", "moves between the same two shards"));
        }
    }

    @Test
    void aMoveThatCanBeTakenBackReservesItsOwnBucketsOnly() {
        Candidate reversible = move("a", "ds-0", "ds-4", MovePhase.REVERSIBLE, 1, 1);
        Candidate cleaning = reversal("c", MovePhase.REVERSING, MovePhase.CLEANING_UP, false);
        Candidate folded = reversal("d", MovePhase.REVERSING, MovePhase.PUBLISHING, true);

        assertThat(judge(1, reversible, cleaning, folded, pending("b", "ds-0", "ds-4", 2))
                        .get("b")
                        .start())
                .isEmpty();
    }

    @Test
    void aReversalThatSwitchesKeepsOthersOffItsDatabases() {
        Map<String, MaintenanceArbiter.Verdict> verdicts = judge(
                5,
                reversal("a", MovePhase.REVERSING, MovePhase.SWITCHING, false),
                move("b", "ds-1", "ds-4", MovePhase.READY, 2, 2),
                reversal("c", MovePhase.REVERSING, MovePhase.READY, false));

        assertThat(verdicts.get("a").switching()).isEmpty();
        assertThat(verdicts.get("b").switching()).extracting(Blocker::name).containsExactly("a");
        assertThat(verdicts.get("c").switching()).extracting(Blocker::name).containsExactly("a");
    }

    @Test
    void oneSwitchPerDatabase() {
        Map<String, MaintenanceArbiter.Verdict> verdicts = judge(
                5,
                move("a", "ds-0", "ds-4", MovePhase.SWITCHING, 1, 1),
                move("b", "ds-1", "ds-4", MovePhase.READY, 2, 2),
                move("c", "ds-2", "ds-3", MovePhase.READY, 3, 3));

        assertThat(verdicts.get("a").switching()).isEmpty();
        assertThat(verdicts.get("b").switching())
                .containsExactly(new Blocker("BucketMove", "a", "is switching on one of the two shards"));
        assertThat(verdicts.get("c").switching()).isEmpty();
    }

    @Test
    void ofTwoThatSwitchTheLaterWaits() {
        Map<String, MaintenanceArbiter.Verdict> verdicts = judge(
                5,
                move("a", "ds-0", "ds-4", MovePhase.SWITCHING, 1, 1),
                move("b", "ds-1", "ds-4", MovePhase.SWITCHING, 2, 2));

        assertThat(verdicts.get("a").switching()).isEmpty();
        assertThat(verdicts.get("b").switching()).hasSize(1);
    }

    @Test
    void aSuspendedClusterHoldsEverything() {
        ClusterRules suspended = new ClusterRules("orders", true, Optional.empty(), 5, Optional.empty());

        Map<String, MaintenanceArbiter.Verdict> verdicts = MaintenanceArbiter.judge(
                suspended,
                List.of(pending("a", "ds-0", "ds-4", 1), move("b", "ds-1", "ds-4", MovePhase.COPYING, 1, 2)));

        Blocker suspend = new Blocker("ShardCluster", "orders", "is suspended (spec.suspend)");
        assertThat(verdicts.get("a").start()).containsExactly(suspend);
        assertThat(verdicts.get("b").hold()).containsExactly(suspend);
    }

    @Test
    void announcedMaintenanceLetsNothingNewStart() {
        ClusterRules patched = new ClusterRules("orders", false, Optional.of("ops: kernel patch"), 5, Optional.empty());

        Map<String, MaintenanceArbiter.Verdict> verdicts = MaintenanceArbiter.judge(
                patched, List.of(pending("a", "ds-0", "ds-4", 1), move("b", "ds-1", "ds-4", MovePhase.COPYING, 1, 2)));

        assertThat(verdicts.get("a").start())
                .containsExactly(
                        new Blocker("ShardCluster", "orders", "maintenance is announced by ops: kernel patch"));
        assertThat(verdicts.get("b").hold()).isEmpty();
    }

    @Test
    void outsideOfTheWindowsNothingStartsAndWhatHasBegunIsTold() {
        Closure outside = new Closure(
                "tolerance", Closure.Cause.OUTSIDE, "outside of its windows", Optional.of(Instant.ofEpochSecond(100)));
        ClusterRules closed = new ClusterRules("orders", false, Optional.empty(), 5, Optional.of(outside));

        Map<String, MaintenanceArbiter.Verdict> verdicts = MaintenanceArbiter.judge(
                closed,
                List.of(
                        pending("a", "ds-0", "ds-4", 1),
                        move("b", "ds-1", "ds-4", MovePhase.COPYING, 1, 2),
                        pending("c", "ds-2", "ds-3", 3)));

        Blocker policy = new Blocker("ShardPolicy", "tolerance", "outside of its windows");
        assertThat(verdicts.get("a").start()).containsExactly(policy);
        assertThat(verdicts.get("c").start())
                .as("nobody was admitted before it")
                .containsExactly(policy);
        assertThat(verdicts.get("b").hold()).isEmpty();
        assertThat(verdicts.get("b").closed()).contains(outside);
    }

    /** Whatever the order of the list: the same verdicts, and somebody can go on. */
    @Test
    void verdictsDoNotDependOnTheOrderAndSomebodyGoesOn() {
        Random random = new Random(42);
        for (int round = 0; round < 500; round++) {
            List<Candidate> moves = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                MovePhase phase = MovePhase.values()[random.nextInt(MovePhase.BLOCKED.ordinal() + 1)];
                String from = "ds-" + random.nextInt(3);
                String to = "ds-" + (3 + random.nextInt(2));
                moves.add(move("m" + i, from, to, phase, random.nextInt(4), random.nextInt(3)));
            }
            ClusterRules rules =
                    new ClusterRules("orders", false, Optional.empty(), 1 + random.nextInt(3), Optional.empty());
            Map<String, MaintenanceArbiter.Verdict> verdicts = MaintenanceArbiter.judge(rules, moves);
            Collections.shuffle(moves, random);

            assertThat(MaintenanceArbiter.judge(rules, moves)).isEqualTo(verdicts);
            boolean goesOn = moves.stream()
                    .filter(move -> !move.phase().terminal())
                    .anyMatch(move -> verdicts.get(move.name()).start().isEmpty()
                            && verdicts.get(move.name()).switching().isEmpty());
            boolean anything = moves.stream().anyMatch(move -> !move.phase().terminal());
            assertThat(goesOn).isEqualTo(anything);
        }
    }

    /** The fence of a bucket decides for its keys, and K1 and K4 of a key change the row of its bucket. */
    @Test
    void aBucketAndAKeyInItExcludeEachOtherWhicheverIsFirst() {
        Candidate bucket = of("a", Scope.buckets(7), MovePhase.REVERSIBLE);
        Candidate key = of("a", keys(Scope.key("42", 7)), MovePhase.CLEANING_UP);

        assertThat(judge(5, bucket, of("b", keys(Scope.key("42", 7)), MovePhase.PENDING))
                        .get("b")
                        .start())
                .containsExactly(new Blocker("BucketMove", "a", "moves a bucket or a key of the same set"));
        assertThat(judge(5, key, of("b", Scope.buckets(3, 7), MovePhase.PENDING))
                        .get("b")
                        .start())
                .containsExactly(new Blocker("BucketMove", "a", "moves a bucket or a key of the same set"));
        assertThat(judge(5, key, of("b", keys(Scope.key("42", 7)), MovePhase.PENDING))
                        .get("b")
                        .start())
                .containsExactly(new Blocker("BucketMove", "a", "moves a bucket or a key of the same set"));
    }

    @Test
    void twoKeysOfOneBucketAndAKeyOfAnotherOneDoNot() {
        Candidate key = of("a", keys(Scope.key("42", 7)), MovePhase.REVERSIBLE);

        assertThat(judge(5, key, of("b", keys(Scope.key("43", 7)), MovePhase.PENDING))
                        .get("b")
                        .start())
                .isEmpty();
        assertThat(judge(5, key, of("b", Scope.buckets(8), MovePhase.PENDING))
                        .get("b")
                        .start())
                .isEmpty();
    }

    private static SortedSet<Scope> keys(Scope... keys) {
        return new TreeSet<>(List.of(keys));
    }

    private static Candidate of(String name, SortedSet<Scope> scopes, MovePhase phase) {
        return new Candidate(
                name, "ds-0", "ds-" + name, scopes, phase, Optional.empty(), true, at(name.equals("a") ? 1 : 2));
    }

    private static Map<String, MaintenanceArbiter.Verdict> judge(int most, Candidate... moves) {
        return MaintenanceArbiter.judge(
                new ClusterRules("orders", false, Optional.empty(), most, Optional.empty()), List.of(moves));
    }

    private static Candidate pending(String name, String from, String to, int created) {
        return move(name, from, to, MovePhase.PENDING, 100 + created, created);
    }

    private static Candidate move(String name, String from, String to, MovePhase phase, int bucket, int created) {
        return new Candidate(name, from, to, Scope.buckets(bucket), phase, Optional.empty(), false, at(created));
    }

    private static Candidate reversal(String name, MovePhase shown, MovePhase wayBack, boolean folded) {
        return new Candidate(name, "ds-0", "ds-4", Scope.buckets(50), shown, Optional.of(wayBack), folded, at(1));
    }

    private static Instant at(int second) {
        return Instant.ofEpochSecond(second);
    }
}
