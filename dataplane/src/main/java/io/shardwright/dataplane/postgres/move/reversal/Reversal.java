package io.shardwright.dataplane.postgres.move.reversal;

import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.move.apply.StreamStart;
import io.shardwright.dataplane.postgres.move.switchover.DecisionAgainst;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.Look;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.Standing;
import io.shardwright.dataplane.postgres.move.truth.TruthReader;
import io.shardwright.routing.Scope;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import org.postgresql.replication.LogSequenceNumber;

/**
 * What the commands of a reversal do instead of those of a move of its own; all others are the same. It finds its rows where it
 * brings them, so it has no copy to make again: a stream that cannot go on is the end of it.
 */
public final class Reversal {
    private final Incarnation mover;
    private final MoveTask task;
    private final Look look;

    public Reversal(Incarnation mover, Look look) {
        this.mover = mover;
        this.look = look;
        task = mover.task();
    }

    /** Opens the way back, or finds it open. */
    public StreamStart follow() throws MoverFault {
        Truth truth = look.now();
        WayBack way = new WayBack(task, truth);
        refuseDecided(way);
        if (way.hasBegun()) {
            throw MoverFault.blocked(
                    "the reversal of the move to shard " + task.source().shard() + " has begun",
                    "nothing: it is prepared, which resumes its stream");
        }
        if (way.needed() && !truth.resumable()) { // before anything is written: what has ended must leave no new trace
            throw lost();
        }
        ProgressRow progress = mover.takeOver();
        if (new TruthReader(mover).resumable(progress)) {
            return stream(progress.position(), task.scopes());
        }
        if (new WayBack(task, look.now()).needed()) {
            throw claimedInVain();
        }
        return stream(new ReverseSlot(mover).open(), task.scopes());
    }

    /** Begins the reversal, or goes on with it. @return empty when nothing is left to take back */
    public Optional<StreamStart> prepare() throws MoverFault {
        Truth seen = look.now();
        WayBack way = new WayBack(task, seen);
        refuseDecided(way);
        if (way.over()) {
            return Optional.empty();
        }
        if (undecided(way).isEmpty()) {
            if (way.open().isEmpty()) {
                throw MoverFault.blocked(
                        "shard " + task.source().shard() + " owns none of " + Scope.words(task.scopes())
                                + " by the move that is to be reversed",
                        "compare the fence rows of both shards; they are read again in a few seconds");
            }
            if (!seen.resumable()) {
                throw lost();
            }
        }
        ProgressRow progress = mover.takeOver();
        Truth truth = look.now();
        way = new WayBack(task, truth);
        boolean resumable = new TruthReader(mover).resumable(progress);
        if (!resumable || !way.begun().containsAll(way.fenced())) {
            throw ended(way);
        }
        SortedSet<Scope> going = new TreeSet<>(way.begun());
        going.addAll(way.open());
        new Beginning(mover, truth, way.open()).run();
        return Optional.of(stream(progress.position(), going));
    }

    private StreamStart stream(LogSequenceNumber from, SortedSet<Scope> scopes) throws MoverFault {
        return new StreamStart(from, scopes, MovedTables.of(mover));
    }

    private void refuseDecided(WayBack way) throws MoverFault {
        if (!way.decidedAgainst().isEmpty()) {
            throw MoverFault.decidedAgainst(way.decidedAgainst());
        }
    }

    private static SortedSet<Scope> undecided(WayBack way) {
        SortedSet<Scope> undecided = new TreeSet<>(way.begun());
        undecided.addAll(way.fenced());
        return undecided;
    }

    /** The source is complete: what is fenced there reopens at once, the rest never stopped. */
    private MoverFault ended(WayBack way) throws MoverFault {
        if (way.fenced().isEmpty()) {
            return claimedInVain();
        }
        SortedSet<Scope> against = new DecisionAgainst(mover, way.fenced()).run();
        look.now();
        return against.isEmpty() ? lost() : MoverFault.decidedAgainst(against);
    }

    /** Where another mover has taken everything down meanwhile, the claim goes as it came: it would stand for a way back. */
    private MoverFault claimedInVain() throws MoverFault {
        MoverFault lost = lost();
        boolean standing = mover.source()
                .read("read cleanup records", connection -> CleanupRecords.any(connection, mover.moveId()));
        if (!standing) {
            mover.forget();
        }
        return lost;
    }

    /** A difference that was found is why nothing can be resumed, and stays what is told. */
    private MoverFault lost() throws MoverFault {
        return difference()
                .orElseGet(() -> WayBack.lost(
                        task,
                        Kind.POSITION_LOST,
                        "what shard " + task.source().shard() + " has written since cannot be streamed to shard "
                                + task.target().shard() + " (the slot, or what had been applied, is gone)"));
    }

    private Optional<MoverFault> difference() throws MoverFault {
        return mover.target()
                .read("read the progress", connection -> ProgressRow.read(connection, mover))
                .map(ProgressRow::difference)
                .map(seen -> WayBack.lost(task, Kind.DIVERGED, seen));
    }

    /**
     * What is compared while the reversal has not begun: what the move has brought to the source, which now owns it. The target
     * still has its own rows of the other buckets.
     *
     * @return empty when it has begun
     * @throws MoverFault DIVERGED when the stream has ended by a difference, so that nothing can be compared
     */
    public Optional<SortedSet<Scope>> followed() throws MoverFault {
        WayBack way = new WayBack(task, look.now());
        Optional<MoverFault> difference = way.needed() ? difference() : Optional.empty();
        if (difference.isPresent()) {
            throw difference.get();
        }
        return way.hasBegun() ? Optional.empty() : Optional.of(way.open());
    }

    /** What a comparison has found that ends nothing: the stream goes on, so both sides may become equal. */
    public static MoverFault differs(MoveTask task, MoverFault found) {
        return new MoverFault(
                Kind.DIVERGED,
                true,
                found.getMessage(),
                "find out which rows are right (shard " + task.source().shard()
                        + " owns them, and has every write since the switch), and make both sides equal; they are compared"
                        + " again",
                found);
    }

    /** Decides against what can be decided, and takes the way back down; also when nothing of it is left. */
    public void abort() throws MoverFault {
        refuseOver(new WayBack(task, look.now()));
        mover.takeOver();
        SortedSet<Scope> waiting = new Standing(task, look.now()).waiting();
        SortedSet<Scope> against = new DecisionAgainst(mover, waiting).run();
        WayBack way = new WayBack(task, look.now());
        refuseOver(way);
        new TakingDown(mover, way.takenBack()).run(against);
        refuseStanding();
        look.now();
    }

    /** Whose token was replaced on the way has taken nothing down, and nobody may rely on it. */
    private void refuseStanding() throws MoverFault {
        boolean standing = mover.target()
                .read("look for the way back", connection -> ProgressRow.exists(connection, mover.moveId()));
        if (standing) {
            throw MoverFault.superseded();
        }
    }

    private void refuseOver(WayBack way) throws MoverFault {
        if (way.over()) {
            throw new MoverFault(
                    Failure.Kind.OTHER,
                    false,
                    "all buckets are back on shard " + task.target().shard() + " already",
                    "move them with another move",
                    null);
        }
    }

    /** What the end of its stream means: the same may not happen again when it cannot be made anew. */
    public static MoverFault judged(MoveTask task, MoverFault fault, Truth truth) {
        return new WayBack(task, truth).needed() ? WayBack.lost(task, fault.kind(), fault.getMessage()) : fault;
    }
}
