package io.shardwright.controllers.world;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.Movers;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Movers over a {@link FenceWorld}; counts how many were opened and how many are open. */
public final class FakeMovers implements Movers {
    private final FenceWorld world;
    private final List<FakeMover> opened = new CopyOnWriteArrayList<>();
    private volatile Optional<Mover.Command> stuck = Optional.empty();
    private final Map<Mover.Command, MoveReport.Failure> failing = new ConcurrentHashMap<>();

    public FakeMovers(FenceWorld world) {
        this.world = world;
    }

    /** From now on a copy never ends, until the mover is closed. */
    public void copyForEver(boolean value) {
        stuck = value ? Optional.of(Mover.Command.PREPARE) : Optional.empty();
    }

    /** From now on a cleanup never ends, until the mover is closed. */
    public void cleanUpForEver(boolean value) {
        stuck = value ? Optional.of(Mover.Command.CLEAN_UP) : Optional.empty();
    }

    /** From now on a copy fails at once, because the target does not answer. */
    public void targetDown(boolean value) {
        fails(
                Mover.Command.PREPARE,
                value,
                new MoveReport.Failure(MoveReport.Failure.Kind.UNREACHABLE, true, "ds-1 does not answer", "start it"));
    }

    /** From now on no way back can be opened or resumed. */
    public void wayBackLost(boolean value) {
        fails(
                Mover.Command.FOLLOW,
                value,
                new MoveReport.Failure(
                        MoveReport.Failure.Kind.POSITION_LOST,
                        false,
                        "the slot of the way back is gone",
                        "create a BucketMove in the other direction"));
    }

    private void fails(Mover.Command command, boolean value, MoveReport.Failure failure) {
        if (value) {
            failing.put(command, failure);
        } else {
            failing.remove(command);
        }
    }

    @Override
    public Mover open(MoveTask task, Runnable changed) {
        FakeMover mover = new FakeMover(
                world,
                task,
                changed,
                command -> stuck.filter(command::equals).isPresent(),
                command -> Optional.ofNullable(failing.get(command)));
        opened.add(mover);
        mover.begin(Mover.Command.OBSERVE);
        return mover;
    }

    /** How often all movers together have begun a command. */
    public long attempts(Mover.Command command) {
        return opened.stream().mapToLong(mover -> mover.begun(command)).sum();
    }

    public int opened() {
        return opened.size();
    }

    public long open() {
        return opened.stream().filter(mover -> !mover.closed()).count();
    }
}
