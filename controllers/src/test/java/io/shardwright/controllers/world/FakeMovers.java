package io.shardwright.controllers.world;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.Movers;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Movers over a {@link FenceWorld}; counts how many were opened and how many are open. */
public final class FakeMovers implements Movers {
    private final FenceWorld world;
    private final List<FakeMover> opened = new CopyOnWriteArrayList<>();
    private volatile boolean copyForEver;

    public FakeMovers(FenceWorld world) {
        this.world = world;
    }

    /** From now on a copy never ends, until the mover is closed. */
    public void copyForEver(boolean value) {
        copyForEver = value;
    }

    @Override
    public Mover open(MoveTask task, Runnable changed) {
        FakeMover mover = new FakeMover(world, task, changed, () -> copyForEver);
        opened.add(mover);
        mover.begin(Mover.Command.OBSERVE);
        return mover;
    }

    public int opened() {
        return opened.size();
    }

    public long open() {
        return opened.stream().filter(mover -> !mover.closed()).count();
    }
}
