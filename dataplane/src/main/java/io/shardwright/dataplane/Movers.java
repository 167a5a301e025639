package io.shardwright.dataplane;

/** Makes movers. */
public interface Movers {
    /**
     * Opens a mover for a task; it begins by reading the truth of both databases on its own thread.
     *
     * @param changed called from a mover thread whenever {@link Mover#report()} has changed in a way a planner may care
     *     about; must return quickly
     */
    Mover open(MoveTask task, Runnable changed);
}
