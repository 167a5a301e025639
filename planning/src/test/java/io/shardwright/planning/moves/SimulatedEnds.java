package io.shardwright.planning.moves;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** How the commands of a {@link SimulatedMover} have ended: what its reports say of faults, as a real mover's do. */
final class SimulatedEnds {
    private final Map<MoveStep, Integer> failures = new EnumMap<>(MoveStep.class);
    private Optional<Failed> ofWork = Optional.empty();
    private Optional<Failed> ofLook = Optional.empty();
    private Optional<Failed> retried = Optional.empty();

    /** A command that has failed, for the how manieth time in a row. */
    private record Failed(MoveFault fault, long at, int times) {
        MoveFault aged(long now) {
            return new MoveFault(
                    fault.kind(),
                    fault.curable(),
                    fault.message(),
                    fault.nextAction(),
                    Duration.ofMillis(now - at),
                    times);
        }
    }

    void begun(MoveStep step) {
        boolean looks = step == MoveStep.OBSERVE;
        retried = looks ? ofLook : ofLook.or(() -> ofWork);
        ofLook = Optional.empty();
        ofWork = looks ? ofWork : Optional.empty();
    }

    /** The command that runs has done what failed before. */
    void gotPast() {
        retried = Optional.empty();
    }

    void ended(MoveStep step, Optional<MoveFault> fault, long now) {
        Optional<Failed> failed = fault.map(one -> new Failed(one, now, failures.merge(step, 1, Integer::sum)));
        if (failed.isEmpty()) {
            failures.remove(step);
        }
        ofLook = step == MoveStep.OBSERVE ? failed : ofLook;
        ofWork = step == MoveStep.OBSERVE ? ofWork : failed;
        retried = Optional.empty();
    }

    /** Between two commands, by what the stream has brought. */
    void stopped(MoveFault fault, long now) {
        ofWork = Optional.of(new Failed(fault, now, 1));
    }

    Optional<MoveFault> ofWork(long now) {
        return ofWork.map(one -> one.aged(now));
    }

    Optional<MoveFault> ofLook(long now) {
        return ofLook.map(one -> one.aged(now));
    }

    Optional<MoveFault> retried(long now) {
        return retried.map(one -> one.aged(now));
    }
}
