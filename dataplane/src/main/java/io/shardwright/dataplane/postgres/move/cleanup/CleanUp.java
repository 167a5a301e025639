package io.shardwright.dataplane.postgres.move.cleanup;

import io.shardwright.dataplane.MoveReport.KeyHold;
import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.postgres.move.keys.KeyFold;
import io.shardwright.dataplane.postgres.move.keys.TombstonesOfKeys;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.throttle.Brake;
import io.shardwright.dataplane.postgres.move.truth.CleanupRecords;
import io.shardwright.dataplane.postgres.move.truth.FencePairs;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.Standing;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;

/**
 * The end of a move, and its point of no return: the source's rows of activated buckets, then the slot, then the records.
 * The tombstones stay and send stale routers on for ever. Of buckets that were given back only records are left to go.
 */
public final class CleanUp {
    private final Incarnation incarnation;
    private final Standing standing;
    private final Brake brake;
    private final Consumer<KeyHold> holds;
    private final SortedSet<Scope> moved;
    private final SortedSet<Scope> open;

    /**
     * @param truth as read after the claim; the caller has checked that all routers know the new owner
     * @param holds told each hold that folding keys back takes
     */
    public CleanUp(Incarnation incarnation, Truth truth, Brake brake, Consumer<KeyHold> holds) {
        this.incarnation = incarnation;
        this.brake = brake;
        this.holds = holds;
        standing = new Standing(incarnation.task(), truth);
        moved = moved(truth);
        open = open();
    }

    /** The source has rows that will go; where all is given back, it has none. */
    public boolean deletesRows() {
        return !moved.isEmpty();
    }

    /** Before anything is done. @throws MoverFault when something is undecided, or could still be taken back */
    public void refuseTooEarly() throws MoverFault {
        if (!open.isEmpty()) {
            throw MoverFault.blocked(
                    Scope.words(open) + " are not decided yet, so nothing is cleaned up",
                    "switch them, or abort the rest of the move");
        }
        UUID reversal = MoveTask.reversalId(incarnation.moveId());
        boolean wayBack = incarnation
                .source()
                .read("look for the way back", connection -> ProgressRow.exists(connection, reversal));
        if (wayBack) {
            throw MoverFault.blocked(
                    "the way back to shard " + incarnation.source().shard() + " stands, so no row is deleted there",
                    "nothing: it is taken down first, or cleaned up itself");
        }
    }

    public void run() throws MoverFault {
        MovedTables tables = MovedTables.of(incarnation);
        SortedSet<Scope> recorded = incarnation
                .source()
                .read(
                        "read cleanup records",
                        connection ->
                                CleanupRecords.lockRows(connection, incarnation.moveId(), incarnation.token(), moved));
        new RowDeletion(incarnation, incarnation.source(), recorded, this::tombstone, brake)
                .run(MoverStep.DELETE_SOURCE_ROWS, tables);
        SortedSet<Scope> done = new TreeSet<>(moved);
        done.addAll(standing.givenBack());
        if (incarnation.task().ofKeys() && incarnation.task().reversalOf().isEmpty()) {
            comeHome(notDecidedAgainst());
            done.addAll(incarnation.task().scopes());
        }
        new SlotRemoval(incarnation).run();
        incarnation.step(MoverStep.REMOVE_RECORDS, () -> removeRecords(done));
        incarnation.forget();
    }

    /**
     * Of keys that have gone to the owner of their bucket the fence rows go, first where they were. Nothing leads back from here:
     * what looks like a key that nobody has split off is one that has come home. Of others the tombstone stays, as that of a bucket
     * does: it is what leads on.
     */
    private void comeHome(SortedSet<Scope> gone) throws MoverFault {
        SortedMap<Scope, FenceRow> buckets = incarnation
                .target()
                .read(
                        "read the fence of the buckets",
                        connection -> FenceRows.read(connection, Scope.buckets(Scope.bucketsOf(gone))));
        SortedSet<Scope> home = new TreeSet<>(gone);
        home.removeIf(key -> !buckets.containsKey(key.ofBucket())
                || buckets.get(key.ofBucket()).state() != FenceState.OWNED);
        new TombstonesOfKeys(incarnation).drop(home);
        new KeyFold(incarnation, incarnation.target(), holds).run(home);
    }

    /** Of which this move has a record still: nobody else has moved them since. */
    private SortedSet<Scope> notDecidedAgainst() throws MoverFault {
        SortedSet<Scope> gone = new TreeSet<>(incarnation.task().scopes());
        gone.removeAll(standing.decidedAgainst());
        gone.removeAll(standing.givenBack());
        return incarnation
                .target()
                .read(
                        "read cleanup records",
                        connection ->
                                CleanupRecords.lockRows(connection, incarnation.moveId(), incarnation.token(), gone));
    }

    private SortedSet<Scope> moved(Truth truth) {
        SortedSet<Scope> moved = new TreeSet<>();
        for (FenceRow row : truth.source().values()) {
            FenceRow target = truth.target().get(row.scope());
            boolean beyond = target != null && target.epoch() >= row.epoch() && target.state() != FenceState.IMPORTING;
            if (tombstone(row) && (incarnation.task().ofKeys() ? broughtThere(target) : beyond)) {
                moved.add(row.scope());
            }
        }
        return moved;
    }

    /** By its own row; what a reversal that was decided against has left there is the reversal's. */
    private boolean broughtThere(FenceRow target) {
        return FencePairs.is(target, FenceState.OWNED, incarnation.moveId())
                || FencePairs.is(target, FenceState.OWNED, MoveTask.reversalId(incarnation.moveId()));
    }

    /** Neither activated nor aborted; of a reversal also what is aborted but has no tombstone again. */
    private SortedSet<Scope> open() {
        SortedSet<Scope> undecided = new TreeSet<>(standing.begun());
        undecided.addAll(standing.goingBack());
        if (incarnation.task().reversalOf().isPresent()) {
            undecided.addAll(standing.decidedAgainst());
        }
        return undecided;
    }

    private boolean tombstone(FenceRow row) {
        return row.state() == FenceState.MOVED && incarnation.moveId().equals(row.moveId());
    }

    private Void removeRecords(SortedSet<Scope> done) throws MoverFault {
        incarnation.target().commit("remove records", connection -> {
            CleanupRecords.removeRows(connection, incarnation.moveId(), incarnation.token(), done);
            return null;
        });
        return incarnation.source().commit("remove records", connection -> {
            CleanupRecords.removeSlot(connection, incarnation.moveId(), incarnation.token());
            CleanupRecords.removeRows(connection, incarnation.moveId(), incarnation.token(), done);
            return null;
        });
    }
}
