package io.shardwright.planning.moves;

import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the way there does about the way back while nobody has turned yet. Nothing is switched before its stream follows:
 * from then on no change of a switched bucket is missed. After the first activation it never holds the way there, because
 * what has moved has to be published whether or not it can be taken back.
 */
final class WayBackChecks {
    private WayBackChecks() {}

    /** The truth wins: rows of a reversal say that it has begun, whatever the status knows. */
    static Optional<MoveDecision> hasBegun(Situation now) {
        boolean begun = now.standing().any(RecoveryAction.TAKE_BACK)
                || !now.standing().takenBack().isEmpty();
        if (begun && now.wayBack().isOpen()) {
            return now.actOnAll(
                    MovePhase.REVERSING, MoveStep.TURN_BACK, "the fence rows say that the reversal has begun");
        }
        return now.standing().any(RecoveryAction.TAKE_BACK)
                ? now.awaitAPerson("the reversal has ended, and the fence rows of "
                        + Scope.words(now.standing().at(RecoveryAction.TAKE_BACK)) + " say that it has not")
                : Optional.empty();
    }

    /** The last step before routers hear of the target. */
    static Optional<MoveDecision> follow(Situation now) {
        if (!now.isWayThere()
                || !now.standing().moved().isEmpty()
                || now.wayBack().follows()) {
            return Optional.empty();
        }
        MoveDecision.Act follow = opening(now);
        if (now.wayBack().fault().isPresent()) {
            return Optional.of(tryAgain(now, cooling(now), follow, FaultChecks.LONGEST));
        }
        return now.wayBack().isBusy()
                ? now.await(MovePhase.READY, "the way back is being opened", "its stream")
                : Optional.of(follow);
    }

    private static MoveDecision.Act opening(Situation now) {
        return new MoveDecision.Act(
                MovePhase.READY,
                MoveStep.FOLLOW,
                now.seen().task().scopes(),
                "a stream back from " + now.seen().task().to() + ", from before the first switch on");
    }

    /**
     * What its stream brings before anything has moved was written to the target past the fence, maybe after the verification has
     * looked there, and a stream that begins anew forgets it. So what was verified counts no more, and both sides are verified
     * again behind the beginning of that stream: whatever is written there then is found by the one or by the other.
     */
    static Optional<MoveDecision> verifyAnew(Situation now) {
        if (!isDistrusted(now)) {
            return Optional.empty();
        }
        MoveFault written = now.wayBack().fault().orElseThrow();
        return switch (now.stage()) {
            case VERIFIED ->
                FaultChecks.coolsDown(written, FaultChecks.LONGEST)
                        ? Optional.of(cooling(now))
                        : now.actOnAll(
                                MovePhase.PREPARING,
                                MoveStep.PREPARE,
                                "what was verified counts no more: " + written.message());
            case IN_SYNC -> Optional.of(tryAgain(now, cooling(now), opening(now), FaultChecks.LONGEST));
            default -> Optional.empty();
        };
    }

    private static boolean isDistrusted(Situation now) {
        return now.isWayThere()
                && now.standing().moved().isEmpty()
                && now.wayBack().isOpen()
                && now.wayBack().difference().isPresent();
    }

    /**
     * After the first activation, and while the move stands still after the announcement, the stream is opened again beside
     * whatever else is done: the log that it needs is kept until then.
     */
    static Optional<MoveDecision> followOn(Situation now) {
        boolean stillBefore =
                now.seen().standsStill() && !now.seen().table().announced().isEmpty();
        WayBack back = now.wayBack();
        boolean mayStillFollow = now.isWayThere()
                && (!now.standing().moved().isEmpty() || stillBefore)
                && !now.seen().pointOfNoReturn()
                && !back.follows()
                && !back.isLost()
                && !isDistrusted(now);
        boolean due = !back.isBusy()
                && back.fault()
                        .filter(fault -> FaultChecks.coolsDown(fault, FaultChecks.LONGEST))
                        .isEmpty();
        return mayStillFollow && due
                ? Optional.of(MoveDecision.Aside.silent(
                        now.seen().stored(),
                        new MoveDecision.Act(
                                now.seen().stored(),
                                MoveStep.FOLLOW,
                                now.seen().task().scopes(),
                                "the way back is opened again")))
                : Optional.empty();
    }

    /**
     * A slot that nobody reads any more would keep the log of the only owner without limit, so it goes as soon as nothing has to
     * be decided or published, in a pause, too, and nothing waits for it. Before anything has moved the abort takes it.
     */
    static Optional<MoveDecision> letGo(Situation now) {
        WayBack back = now.wayBack();
        boolean useless = back.isLost() || now.seen().pointOfNoReturn() && !back.follows();
        boolean leftOver = now.isWayThere()
                && !now.standing().moved().isEmpty()
                && useless
                && !back.isClosed()
                && !back.isBeingClosed();
        boolean due = back.mover()
                .fault()
                .filter(fault -> !isFirstLoss(fault) && FaultChecks.coolsDown(fault, FaultChecks.LONGEST))
                .isEmpty();
        return leftOver && due
                ? now.actOnAll(
                        now.seen().stored(), MoveStep.DISMISS, "nothing can be taken back any more: " + back.loss())
                : Optional.empty();
    }

    /** What has lost the way back calls for the first try to let it go; what ends that try may be a loss again. */
    private static boolean isFirstLoss(MoveFault fault) {
        return WayBack.loses(fault) && fault.times() == 1;
    }

    /** Before anything has moved a move without a way back is a move that has failed. */
    static Optional<MoveFault> failed(Situation now) {
        boolean needed = now.isWayThere()
                && now.standing().moved().isEmpty()
                && !now.standing().any(RecoveryAction.ACTIVATE);
        return needed && now.wayBack().isOpen()
                ? now.wayBack().mover().fault().filter(WayBack::loses)
                : Optional.empty();
    }

    /** Replaces whatever the mover of the way back does; empty when nothing of it is left. */
    static Optional<MoveDecision> dismiss(Situation now, MovePhase phase, String reason) {
        if (!now.isWayThere() || now.wayBack().isClosed()) {
            return Optional.empty();
        }
        if (now.wayBack().isBeingClosed()) {
            return now.await(phase, "the way back is being closed", "its end");
        }
        Optional<MoveFault> fault = now.wayBack().mover().fault();
        return fault.isPresent() && FaultChecks.coolsDown(fault.get(), FaultChecks.LONGEST)
                ? Optional.of(cooling(now, fault.get(), phase, FaultChecks.LONGEST))
                : now.actOnAll(phase, MoveStep.DISMISS, reason);
    }

    /** What a fault of the way back says, before, at and during the next try. */
    static MoveDecision.Wait cooling(Situation now) {
        return cooling(now, now.wayBack().fault().orElseThrow(), MovePhase.BLOCKED, FaultChecks.LONGEST);
    }

    private static MoveDecision.Wait cooling(Situation now, MoveFault fault, MovePhase phase, Duration longest) {
        return MoveDecision.Wait.tryingAgain(
                phase, "the way back: " + fault.message(), fault.nextAction(), nextTry(now, fault, longest), List.of());
    }

    static Optional<Instant> nextTry(Situation now, MoveFault fault, Duration longest) {
        Duration rest = FaultChecks.pause(fault, longest).minus(fault.age());
        boolean due = rest.isNegative() || rest.isZero();
        return due || now.wayBack().isBusy()
                ? Optional.empty()
                : Optional.of(now.seen().now().plus(rest));
    }

    /** The same words while it cools down, is tried again, and until that ends. */
    static MoveDecision tryAgain(Situation now, MoveDecision.Wait shown, MoveDecision.Act step, Duration longest) {
        boolean due = !now.wayBack().isBusy()
                && !FaultChecks.coolsDown(now.wayBack().fault().orElseThrow(), longest);
        return due ? MoveDecision.Aside.beside(shown, step) : shown;
    }
}
