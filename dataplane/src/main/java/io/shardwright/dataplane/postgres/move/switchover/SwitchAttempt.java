package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.MoveReport.Switch;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.Standbys;
import io.shardwright.routing.Scope;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * One attempt of 7a to 7d for one group. Up to the fence everything can be given up, and writers go on; after the fence
 * only the activation or a decision against it ends the hold.
 */
final class SwitchAttempt {
    private final Incarnation incarnation;
    private final Streaming streaming;
    private final GroupEpochs group;
    private final Watchdog watchdog;
    private final double predictedMs;
    private final HoldClock clock = new HoldClock();

    SwitchAttempt(Streaming streaming, GroupEpochs group, Watchdog watchdog, double predictedMs) {
        this.streaming = streaming;
        this.group = group;
        this.watchdog = watchdog;
        this.predictedMs = predictedMs;
        incarnation = streaming.incarnation();
    }

    /** The source owns the group. */
    Switch fresh() throws MoverFault {
        List<SequenceFloors.Floor> floors = new SequenceFloors(incarnation, streaming.tables()).advance();
        try (TargetLock targetLock = new TargetLock(incarnation, group.scopes());
                SourceFence fence = new SourceFence(streaming, group, floors)) {
            streaming.quiet(true);
            Activation activation = new Activation(streaming, group, targetLock, clock);
            streaming.await(activation);
            return hold(targetLock, fence, activation);
        } finally {
            streaming.await(null);
            streaming.quiet(false);
        }
    }

    private Switch hold(TargetLock targetLock, SourceFence fence, Activation activation) throws MoverFault {
        if (targetLock.unconfirmable().isPresent()) {
            return givenUp(targetLock.unconfirmable().get());
        }
        if (!incarnation.step(MoverStep.LOCK_TARGET, targetLock::take)) {
            return givenUp("older transactions hold the buckets on shard "
                    + incarnation.target().shard());
        }
        List<String> blockers = fence.open();
        if (!blockers.isEmpty()) {
            return attempt(false, blockers);
        }
        incarnation.before(MoverStep.DRAIN_SOURCE);
        clock.queued();
        blockers = fence.write(clock);
        if (!blockers.isEmpty()) {
            return attempt(false, blockers);
        }
        incarnation.done(MoverStep.DRAIN_SOURCE);
        return fence(fence, activation);
    }

    private Switch fence(SourceFence fence, Activation activation) throws MoverFault {
        incarnation.before(MoverStep.FENCE_SOURCE);
        if (activation.failed()) { // nobody would end the hold but the watchdog
            fence.rollback();
            clock.gaveUp();
            return givenUp("the stream has ended before the fence was committed");
        }
        Watch watch = watch();
        Optional<Standbys> answered;
        try {
            answered = Optional.of(fence.commit());
            clock.fenced();
        } catch (SQLException | MoverFault lostOrWarned) {
            fence.close();
            answered = confirmFence(activation);
            clock.fenced();
        }
        if (answered.isEmpty()) {
            return unfenced(watch, activation, "the fence was not written");
        }
        incarnation.done(MoverStep.FENCE_SOURCE);
        activation.fenceAnswered(answered.get());
        activation.await();
        watch.end();
        return attempt(true, List.of());
    }

    private Optional<Standbys> confirmFence(Activation activation) throws MoverFault {
        try {
            return new FenceConfirmation(incarnation, group).run();
        } catch (MoverFault fault) {
            activation.failed(fault);
            throw fault;
        }
    }

    /**
     * The source owns the group. The stream may have brought the marker all the same, of a fence that was lost since: then
     * the applier waits inside the activation, and the stream ends with it. Without a marker the stream goes on.
     */
    private Switch unfenced(Watch watch, Activation activation, String why) {
        watch.end();
        activation.failed(MoverFault.blocked(
                "shard " + incarnation.source().shard() + " owns " + Scope.words(group.scopes()) + ": " + why,
                "nothing: the stream is started again where the target is, and the buckets are switched later"));
        return givenUp(why);
    }

    /** An earlier mover has fenced the group and did not activate it. */
    Switch takenOver() throws MoverFault {
        Watch watch = watch();
        try (TargetLock targetLock = new TargetLock(incarnation, group.scopes())) {
            Activation activation = new Activation(streaming, group, targetLock, clock);
            streaming.await(activation);
            if (!incarnation.step(MoverStep.LOCK_TARGET, targetLock::take)) {
                return givenUp("older transactions hold the buckets on shard "
                        + incarnation.target().shard());
            }
            clock.queued();
            clock.drained(0);
            Optional<Standbys> answered = confirmFence(activation);
            if (answered.isEmpty()) {
                return unfenced(watch, activation, "the fence was gone");
            }
            clock.fenced();
            activation.fenceAnswered(answered.get());
            activation.await();
            watch.end();
            return attempt(true, List.of());
        } finally {
            streaming.await(null);
        }
    }

    /**
     * Ended neither by a fault nor by an attempt that leaves the fence as it is: until the activation is known to be
     * durable, the pause has to end somehow.
     */
    private Watch watch() {
        return watchdog.watch(
                incarnation,
                group.scopes(),
                incarnation.task().limits().pauseMax().toMillis());
    }

    private Switch givenUp(String why) {
        return attempt(false, List.of(why));
    }

    private Switch attempt(boolean activated, List<String> blockers) {
        return new Switch(group.after(), activated, predictedMs, clock.holdMs(), clock.parts(), blockers);
    }
}
