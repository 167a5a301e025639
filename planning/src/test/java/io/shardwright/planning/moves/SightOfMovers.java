package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Gate;
import io.shardwright.planning.moves.MoveObservation.GateCause;
import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.planning.moves.MoveObservation.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The part of a {@link Sight} that the movers tell, of the leg that is planned and of the way back: how far they are, and what failed. */
abstract class SightOfMovers extends SightOfRows {
    private boolean unseen;
    private Stage stage = Stage.VERIFIED;
    private Optional<MoveStep> running = Optional.empty();
    private Optional<Gate> gate = Optional.of(Gate.open(Duration.ofMillis(200)));
    private Optional<MoveFault> fault = Optional.empty();
    private Optional<MoveFault> lookFault = Optional.empty();
    private Optional<MoveFault> retried = Optional.empty();
    private Optional<MoveFault> hidden = Optional.empty();
    private Stage backStage = Stage.FOLLOWING;
    private Optional<MoveStep> backRunning = Optional.empty();
    private Optional<MoveFault> backFault = Optional.empty();
    private Optional<MoveFault> backRetried = Optional.empty();

    /** The rows are known, and the look that came after the last command has failed: that is the fault. */
    Sight unseenSince(int seconds) {
        unseen = true;
        return truthAge(seconds);
    }

    Sight back(Stage reached) {
        backStage = reached;
        return self();
    }

    Sight backRunning(MoveStep step) {
        backRunning = Optional.of(step);
        return self();
    }

    Sight backFault(MoveFault.Kind kind, boolean curable, int ageSeconds) {
        return backFault(kind, curable, ageSeconds, 1);
    }

    Sight backFault(MoveFault.Kind kind, boolean curable, int ageSeconds, int times) {
        backFault = Optional.of(faultOf(kind, curable, ageSeconds, times));
        return self();
    }

    Sight backRetrying(MoveStep step) {
        backRetried = backFault;
        backFault = Optional.empty();
        return backRunning(step);
    }

    Sight fresh() {
        gate = Optional.empty();
        return stage(Stage.NONE);
    }

    Sight stage(Stage reached) {
        stage = reached;
        return self();
    }

    Sight running(MoveStep step) {
        running = Optional.of(step);
        return self();
    }

    Sight gate(boolean open, int ageMillis) {
        Duration age = Duration.ofMillis(ageMillis);
        gate = Optional.of(open ? Gate.open(age) : shut("the lag is 3 MiB", age, Duration.ZERO, GateCause.BEHIND));
        return self();
    }

    Sight gateShutFor(int seconds, int ageMillis, GateCause cause, String... sessions) {
        Duration age = Duration.ofMillis(ageMillis);
        gate = Optional.of(shut("shut by " + cause, age, Duration.ofSeconds(seconds), cause, sessions));
        return self();
    }

    private static Gate shut(String reason, Duration age, Duration shutFor, GateCause cause, String... sessions) {
        return new Gate(false, reason, age, shutFor, cause, List.of(sessions));
    }

    Sight unmeasured() {
        gate = Optional.empty();
        return self();
    }

    Sight fault(MoveFault.Kind kind, boolean curable, int ageSeconds) {
        return fault(kind, curable, ageSeconds, 1);
    }

    Sight fault(MoveFault.Kind kind, boolean curable, int ageSeconds, int times) {
        fault = Optional.of(faultOf(kind, curable, ageSeconds, times));
        return self();
    }

    /** The next try is under way and has not got past what failed. */
    Sight retrying(MoveStep step) {
        retried = fault;
        fault = Optional.empty();
        return running(step);
    }

    /** Before the look that has failed. */
    Sight workFailed(MoveFault.Kind kind, int ageSeconds) {
        hidden = Optional.of(faultOf(kind, true, ageSeconds, 1));
        return self();
    }

    /** So long ago; nobody has looked since. */
    Sight reclaimedByForce(int ageSeconds) {
        unseen = false;
        return fault(MoveFault.Kind.RECLAIMED, true, ageSeconds);
    }

    /** The last look at the fence rows has found a shard that does not answer. */
    Sight lookFailed(int ageSeconds) {
        lookFault = Optional.of(faultOf(MoveFault.Kind.UNREACHABLE, true, ageSeconds, 1));
        return self();
    }

    /** The rows are looked at again, and that look has not ended. */
    Sight lookingAgain() {
        retried = lookFault;
        lookFault = Optional.empty();
        return running(MoveStep.OBSERVE);
    }

    private static MoveFault faultOf(MoveFault.Kind kind, boolean curable, int ageSeconds, int times) {
        return new MoveFault(kind, curable, "saw " + kind, "do something", Duration.ofSeconds(ageSeconds), times);
    }

    /** What keeps a move that cannot be read is the look that has failed. */
    final MoverView mover() {
        return isReadable() && !unseen
                ? new MoverView(stage, running, gate, fault, lookFault, retried)
                : new MoverView(stage, running, gate, hidden, fault, retried);
    }

    final MoverView backMover() {
        return new MoverView(backStage, backRunning, Optional.empty(), backFault, Optional.empty(), backRetried);
    }

    final boolean isCompared() {
        return backStage == Stage.COMPARED;
    }
}
