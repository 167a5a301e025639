package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.Saying.of;
import static io.shardwright.planning.moves.Sight.aFoldedMove;
import static io.shardwright.planning.moves.Sight.aMove;

import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What the planner says when a shard has lost what it knew, or is lost itself: rows that no step of a move leaves. */
class MoveOwnersTest {
    static Stream<Saying> cases() {
        return Stream.of(twoOwnersOfABucket(), whatMustNotBe(), forcedReclaim(), forcedReclaimFurther())
                .flatMap(List::stream);
    }

    private static Sight twoOwners() {
        return aMove().pair(3, FenceState.OWNED, 7, FenceState.OWNED, 8);
    }

    static List<Saying> twoOwnersOfABucket() {
        return List.of(
                of("two owners", twoOwners(), "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners of which one cannot be told",
                        twoOwners().pair(17, FenceState.OWNED, 8, FenceState.OWNED, 8),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners of which none can be told",
                        aMove().pair(3, FenceState.OWNED, 8, FenceState.OWNED, 8),
                        "Blocked: wait"),
                of("two owners on old news", twoOwners().truthAge(5), "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "two owners, one of whom does not answer now",
                        twoOwners().unseenSince(6).fault(MoveFault.Kind.UNREACHABLE, true, 1),
                        "Blocked: wait"),
                of(
                        "two owners while another step runs",
                        twoOwners().running(MoveStep.VERIFY),
                        "Blocked: wait, aside DEMOTE [3]"),
                of("two owners while one is being closed", twoOwners().running(MoveStep.DEMOTE), "Blocked: wait"),
                of(
                        "two owners that writers did not leave",
                        twoOwners().fault(MoveFault.Kind.TWO_OWNERS, true, 1),
                        "Blocked: wait"),
                of(
                        "two owners after something else has failed",
                        twoOwners().fault(MoveFault.Kind.SCHEMA_CHANGED, true, 0),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "and again after two seconds",
                        twoOwners().fault(MoveFault.Kind.TWO_OWNERS, true, 2),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners although the move is paused",
                        twoOwners().wanted(MoveObservation.Intent.PAUSE),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners after the cleanup began",
                        aFoldedMove()
                                .pair(3, FenceState.OWNED, 7, FenceState.OWNED, 8)
                                .pastNoReturn(),
                        "Blocked: wait, aside DEMOTE [3]"),
                of(
                        "two owners that writers did not leave, and a bucket that nobody owns",
                        twoOwners().fenced(17).fault(MoveFault.Kind.TWO_OWNERS, true, 1),
                        "Switching: SWITCH [17]"));
    }

    static List<Saying> whatMustNotBe() {
        return List.of(
                of(
                        "an owner that was closed, and a bucket that nobody owns",
                        aMove().activated(3).demoted(3, "ds-0").fenced(17),
                        "Switching: SWITCH [17]"),
                of("an owner that was closed", aFoldedMove().demoted(3, "ds-0"), "Blocked: wait"),
                of(
                        "an owner that was closed, and an abort",
                        aMove().activated(3).demoted(3, "ds-0").abortWanted(),
                        "Blocked: wait"),
                of(
                        "rows that no step leaves",
                        aMove().pair(3, FenceState.MOVED, 9, FenceState.IMPORTING, 7)
                                .abortWanted(),
                        "Blocked: wait"),
                of(
                        "an owner lost after the cleanup began",
                        aFoldedMove().fenced(3).stored(MovePhase.BLOCKED).pastNoReturn(),
                        "Blocked: wait"),
                of(
                        "buckets that were taken back after the cleanup began",
                        aFoldedMove().takenBack(3).pastNoReturn(),
                        "Blocked: wait"));
    }

    private static Sight fencedAndSilent(int age) {
        return aMove().fenced(3)
                .stored(MovePhase.SWITCHING)
                .unseenSince(20)
                .fault(MoveFault.Kind.UNREACHABLE, true, age);
    }

    private static Sight unreadAndSilent() {
        return aMove().unreadable().stored(MovePhase.BLOCKED).fault(MoveFault.Kind.UNREACHABLE, true, 0);
    }

    static List<Saying> forcedReclaim() {
        return List.of(
                of("a lost target is waited for", fencedAndSilent(0), "Switching: wait"),
                of(
                        "it is given up when a person says so of this move",
                        fencedAndSilent(0).announced(3).forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [3]"),
                of(
                        "with what may have been fenced since the rows were read",
                        fencedAndSilent(0).forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [3, 17]"),
                of(
                        "and without what routers were led to",
                        fencedAndSilent(0).visibleToWorkers(3).forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [17]"),
                of(
                        "or what the map says",
                        fencedAndSilent(0).folded(3).forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [17]"),
                of("and not of another", fencedAndSilent(0).forcedReclaim(Sight.REVERSAL), "Switching: wait"),
                of("it has to be silent now", fencedAndSilent(5).forcedReclaim(Sight.MOVE), "Switching: SWITCH [3]"),
                of(
                        "one that answers is not given up",
                        aMove().fenced(3).forcedReclaim(Sight.MOVE),
                        "Switching: SWITCH [3]"),
                of(
                        "an abort that cannot be decided is",
                        fencedAndSilent(0)
                                .stored(MovePhase.ABORTING)
                                .abortWanted()
                                .announced(3)
                                .forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [3]"),
                of(
                        "a target that is lost in the hold, before anybody has read of the fence",
                        aMove().unseenSince(20)
                                .fault(MoveFault.Kind.UNREACHABLE, true, 0)
                                .forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [3, 17]"),
                of(
                        "nothing is when nothing was announced",
                        aMove().announced()
                                .unseenSince(20)
                                .fault(MoveFault.Kind.UNREACHABLE, true, 0)
                                .forcedReclaim(Sight.MOVE),
                        "Blocked: wait"));
    }

    static List<Saying> forcedReclaimFurther() {
        return List.of(
                of(
                        "a new leader knows of the announcement",
                        unreadAndSilent().forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [3, 17]"),
                of(
                        "and spares what routers were led to",
                        unreadAndSilent().visibleToWorkers(3).forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [17]"),
                of(
                        "not after the cleanup has begun",
                        unreadAndSilent().pastNoReturn().forcedReclaim(Sight.MOVE),
                        "Blocked: wait"),
                of(
                        "not at once again when it has failed",
                        unreadAndSilent()
                                .workFailed(MoveFault.Kind.UNREACHABLE, 1)
                                .forcedReclaim(Sight.MOVE),
                        "Blocked: wait"),
                of(
                        "but soon",
                        unreadAndSilent()
                                .workFailed(MoveFault.Kind.UNREACHABLE, 2)
                                .forcedReclaim(Sight.MOVE),
                        "Aborting: RECLAIM [3, 17]"),
                of(
                        "and not so soon when nothing was fenced",
                        unreadAndSilent().workFailed(MoveFault.Kind.OTHER, 4).forcedReclaim(Sight.MOVE),
                        "Blocked: wait"),
                of("then the target is looked for", fencedAndSilent(1).reclaimedByForce(1), "Blocked: wait"),
                of("again and again", fencedAndSilent(1).reclaimedByForce(6), "Blocked: wait, aside OBSERVE [3, 17]"),
                of(
                        "until it answers",
                        aMove().pair(3, FenceState.OWNED, 9, FenceState.IMPORTING, 7)
                                .fault(MoveFault.Kind.RECLAIMED, true, 6),
                        "Aborting: ABORT [3, 17]"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(Saying saying) {
        saying.holds();
    }
}
