package io.shardwright.planning.moves;

import static io.shardwright.planning.moves.Sight.OPEN;
import static io.shardwright.planning.moves.Sight.SHUT;
import static io.shardwright.planning.moves.Sight.aFoldedMove;
import static io.shardwright.planning.moves.Sight.aMove;
import static io.shardwright.planning.moves.Sight.aNewMove;
import static io.shardwright.planning.moves.Sight.aSoakingMove;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveObservation.GateCause;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** How long a wait lasts at most, and whom it names: until then nobody looks, so too late is a move that hangs. */
class MoveWaitTest {
    /** @param millis until the planner wants to be asked again; -1 = only an event helps */
    record Case(String name, Sight sight, long millis) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Case> waits() {
        return Stream.of(looks(), gates(), publications(), cleanups()).flatMap(List::stream);
    }

    static List<Case> looks() {
        return List.of(
                of("a switch that runs: until the rows are due", aMove().running(MoveStep.SWITCH), 30_000),
                of("which were read before", switchRunning(10), 20_000),
                of("just now due", switchRunning(30), 30_000),
                of("long due", switchRunning(31), 30_000),
                of("a person, who may have looked already", twoOwners().truthAge(10), 20_000),
                of("a refusal ends by an event", aNewMove().unreadable().refused("no cluster orders"), -1),
                of("and so does a queue", aNewMove().unreadable().queuedBehind("first"), -1));
    }

    static List<Case> gates() {
        return List.of(
                of("routers, every five seconds", aMove().announcedAcks(SHUT), 5_000),
                of("the turn of another move, every second", aMove().anotherSwitches(), 1_000),
                of("a gate, until its measurement is old", aMove().gate(false, 300), 700),
                of("a gate that is being measured", aMove().gate(false, 300).running(MoveStep.GATE), 1_000),
                of(
                        "a fenced bucket whose switch has failed just now",
                        aMove().fenced(3).fault(MoveFault.Kind.UNREACHABLE, true, 0),
                        1_000),
                of("writers that left no gap", aMove().failedDrains(3, 1), 3_000),
                of("also the first time", aMove().failedDrains(1, 0), 1_000));
    }

    static List<Case> publications() {
        return List.of(
                of("workers, until the handover times out", published().workerAcks(SHUT), 5_000),
                of(
                        "web processes, for a minute",
                        published().visibleToWeb(3, 17).webAcks(SHUT),
                        55_000),
                of(
                        "a publication that was put off comes before the routers",
                        aMove().activated(3).sinceTheChange(400).announcedAcks(SHUT),
                        600),
                of(
                        "and after the turn of another move when that is earlier",
                        aMove().activated(3).sinceTheChange(0).gate(false, 300),
                        700));
    }

    static List<Case> cleanups() {
        return List.of(
                of("everybody, every five seconds", aFoldedMove().foldedAcks(SHUT, 0), 5_000),
                of("everybody for a minute", aFoldedMove().foldedAcks(OPEN, 59), 1_000),
                of("the soak, to its end", aSoakingMove(Duration.ofMinutes(59)), 60_000),
                of(
                        "the soak without a way back",
                        aSoakingMove(Duration.ofMinutes(59)).back(Stage.ABORTED),
                        60_000),
                of("a comparison that runs", compared().backRunning(MoveStep.VERIFY), 30_000),
                of(
                        "a comparison that differed, until it is repeated",
                        compared().backFault(MoveFault.Kind.DIVERGED, true, 10),
                        20_000),
                of(
                        "a cleanup that runs",
                        aFoldedMove().running(MoveStep.CLEAN_UP).truthAge(10),
                        20_000));
    }

    private static Sight switchRunning(int truthAge) {
        return aMove().running(MoveStep.SWITCH).truthAge(truthAge);
    }

    private static Sight twoOwners() {
        return aMove().pair(3, FenceState.OWNED, 7, FenceState.OWNED, 7);
    }

    private static Sight published() {
        return aMove().activated(3).activated(17).visibleToWorkers(3, 17);
    }

    private static Sight compared() {
        return aFoldedMove().back(Stage.FOLLOWING);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waits")
    void asksAgainInTime(Case example) {
        MoveDecision.Wait wait = (MoveDecision.Wait) example.sight().plan();

        long millis = wait.until()
                .map(until -> Duration.between(Sight.NOW, until).toMillis())
                .orElse(-1L);
        assertThat(millis).as(wait.reason()).isEqualTo(example.millis());
    }

    static Stream<Case> waitsForRouters() {
        return Stream.of(
                of("the announcement", aMove().announcedAcks(SHUT), 0),
                of("workers", published().workerAcks(SHUT), 0),
                of("web processes", published().visibleToWeb(3, 17).webAcks(SHUT), 0),
                of("workers before the fold", published().visibleToWeb(3, 17).workerAcks(SHUT), 0),
                of("everybody", aFoldedMove().foldedAcks(SHUT, 0), 0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waitsForRouters")
    void namesTheRouterThatHolds(Case example) {
        MoveDecision.Wait wait = (MoveDecision.Wait) example.sight().plan();

        assertThat(wait.blockedBy())
                .extracting(MoveDecision.Blocker::kind, MoveDecision.Blocker::name)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("Router", "orders-web-7 (web)"));
        assertThat(wait.awaited()).contains("orders-web-7 (web) silent");
    }

    static Stream<Case> waitsForOthers() {
        return Stream.of(
                of("BucketMove first", aNewMove().unreadable().queuedBehind("first"), 0),
                of("BucketMove other", aMove().anotherSwitches(), 0),
                of("ShardCluster orders", aMove().suspended(), 0),
                of("Session pid 4711 user app 'orders-web' 31 s", aMove().failedDrains(2, 1), 0),
                of("Session pid 7", aMove().gateShutFor(5, 0, GateCause.OPEN_TRANSACTION, "pid 7"), 0));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("waitsForOthers")
    void namesWhoHolds(Case example) {
        MoveDecision.Wait wait = (MoveDecision.Wait) example.sight().plan();

        assertThat(wait.blockedBy().stream().map(one -> one.kind() + " " + one.name()))
                .containsExactly(example.name());
    }

    private static Case of(String name, Sight sight, long millis) {
        return new Case(name, sight, millis);
    }
}
