package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.Mover;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.Scope;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs one command at a time on its own thread and shows on the report board how it ended. */
final class PostgresMover implements Mover {
    private static final Logger LOG = LoggerFactory.getLogger(PostgresMover.class);

    private final MoveTask task;
    private final ReportBoard board;
    private final MoveWork work;
    private final ExecutorService thread;
    private boolean busy;
    private boolean closed;

    PostgresMover(
            MoveTask task,
            PostgresSessions sessions,
            StepBoundary boundary,
            RandomGenerator random,
            ScheduledExecutorService watchdogs,
            Runnable changed) {
        this.task = task;
        board = new ReportBoard(changed);
        work = new MoveWork(task, sessions, boundary, random, watchdogs, board);
        thread = Executors.newSingleThreadExecutor(
                Thread.ofPlatform().daemon().name("mover " + task.moveId()).factory());
        begin(Command.OBSERVE);
    }

    @Override
    public MoveReport report() {
        return board.get();
    }

    /** What a command does. */
    @FunctionalInterface
    private interface Work {
        void run() throws MoverFault;
    }

    @Override
    public boolean begin(Command command) {
        return start(Optional.of(command), () -> {
            switch (command) {
                case OBSERVE -> work.observe();
                case VALIDATE -> work.validate();
                case PREPARE -> work.prepare();
                case VERIFY -> work.verify();
                case GATE -> work.gate();
                case FOLLOW -> work.follow();
                case RETIRE -> work.retire();
                case ABORT -> work.abort();
                case DEMOTE -> work.demote();
                case RESYNC -> work.resync();
                case RECLAIM -> throw new IllegalArgumentException("the caller of a reclaim says of which buckets");
                case CLEAN_UP -> throw new IllegalArgumentException("the caller of a cleanup says which routers live");
            }
        });
    }

    @Override
    public boolean beginSwitch(SortedSet<Scope> group) {
        SortedSet<Scope> wanted = new TreeSet<>(group);
        if (!task.scopes().containsAll(wanted) || wanted.isEmpty()) {
            throw new IllegalArgumentException("group " + group + " is no part of " + task.scopes());
        }
        return start(Optional.empty(), () -> work.switchGroup(wanted));
    }

    @Override
    public boolean beginCleanUp(Set<String> liveRouters) {
        Set<String> live = Set.copyOf(liveRouters);
        return start(Optional.of(Command.CLEAN_UP), () -> work.cleanUp(live));
    }

    @Override
    public boolean beginReclaim(SortedSet<Scope> scopes) {
        SortedSet<Scope> wanted = new TreeSet<>(scopes);
        return start(Optional.of(Command.RECLAIM), () -> work.reclaim(wanted));
    }

    private synchronized boolean start(Optional<Command> command, Work what) {
        if (closed || busy) {
            return false;
        }
        busy = true;
        board.begin(command);
        thread.execute(() -> run(command.map(Enum::name).orElse("SWITCH"), what));
        return true;
    }

    private void run(String name, Work what) {
        Optional<Failure> failure = Optional.empty();
        try {
            what.run();
        } catch (MoverFault fault) {
            failure = Optional.of(fault.failure());
            LOG.info("move={} command={} kind={} message={}", task.moveId(), name, fault.kind(), fault.getMessage());
        } catch (Throwable e) { // whatever it was, an end without a failure would have the same command begun again at
            // once
            failure = Optional.of(MoverFault.unexpected(e).failure());
            LOG.warn("move={} command={} stopped", task.moveId(), name, e);
        } finally {
            end(failure);
        }
    }

    /** Whoever hears of the end may begin the next command at once. */
    private synchronized void end(Optional<Failure> failure) {
        busy = false;
        if (!closed) {
            board.end(failure);
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        thread.shutdownNow();
        work.close();
    }
}
