package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.SourceClaim;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The source takes fenced buckets back although the target, where that is decided, does not answer: only because a person says that
 * it will not come back as an owner before the operator has seen it. The epoch is that of any reclaim, so a target that was activated
 * meanwhile is the older owner, and one that was not finds that it was decided against.
 *
 * <p>In this order: claim the source, ask the target, take back what is claimed still. Whoever activates the target later has claimed
 * the source before, so one that stood still after its question takes nothing back.
 */
public final class ForcedReclaim {
    private final Incarnation incarnation;
    private final SortedSet<Scope> scopes;

    public ForcedReclaim(Incarnation incarnation, SortedSet<Scope> scopes) {
        this.incarnation = incarnation;
        this.scopes = scopes;
    }

    /** An older mover that wakes up neither confirms its fence nor fences again. */
    public void claim() throws MoverFault {
        incarnation.source().refuseNewerFence();
        incarnation.source().commit("claim the source", connection -> {
            SourceClaim.take(connection, incarnation.moveId(), incarnation.token());
            return null;
        });
    }

    /** Asked just now. A target that refuses a login answers. */
    public boolean targetAnswers() throws MoverFault {
        try {
            incarnation
                    .target()
                    .read("look whether it answers", connection -> ProgressRow.read(connection, incarnation));
            return true;
        } catch (MoverFault fault) {
            if (fault.kind() != Kind.UNREACHABLE || !fault.failure().curable()) {
                throw fault;
            }
            return false;
        }
    }

    public MoverFault unnecessary() {
        return MoverFault.blocked(
                "shard " + incarnation.target().shard() + " answers, so nothing is taken back by force",
                "nothing: what the fence rows of both shards say is done; remove the annotation shardwright.io/force-reclaim");
    }

    /** May be done again. @return what is to be said until the target answers */
    public MoverFault run() throws MoverFault {
        SortedSet<Scope> owned = incarnation.step(
                MoverStep.FORCE_RECLAIM,
                () -> incarnation.source().commit("take buckets back by force", this::reclaim));
        if (owned.isEmpty()) {
            return MoverFault.blocked(
                    "shard " + incarnation.source().shard() + ": none of " + Scope.words(scopes)
                            + " is fenced by this move, so nothing is taken back by force",
                    "nothing: the fence rows of both shards are read again when both answer");
        }
        String target = incarnation.target().shard();
        return new MoverFault(
                Kind.RECLAIMED,
                true,
                "shard " + incarnation.source().shard() + " owns " + Scope.words(owned)
                        + " again, taken back by force; shard " + target + " does not answer",
                "keep " + target
                        + " away from routers until the operator has reached it, or for good; when it answers, an"
                        + " activation that it may have is closed, and the move is cleaned up",
                null);
    }

    private SortedSet<Scope> reclaim(Connection connection) throws SQLException, MoverFault {
        SourceClaim.lock(connection, incarnation.moveId(), incarnation.token());
        SortedMap<Scope, FenceRow> seen = FenceRows.read(connection, scopes);
        SortedSet<Scope> owned = new TreeSet<>();
        for (Map.Entry<Scope, FenceRow> row : seen.entrySet()) {
            if (isOurs(row.getValue()) && reclaimed(connection, row.getValue())) {
                owned.add(row.getKey());
            }
        }
        return owned;
    }

    private boolean reclaimed(Connection connection, FenceRow row) throws SQLException {
        if (row.state() != FenceState.MOVED) {
            return row.state() == FenceState.OWNED;
        }
        FenceRow owned = new FenceRow(
                row.scope(),
                FenceState.OWNED,
                row.epoch() + 1,
                incarnation.source().shard(),
                incarnation.moveId());
        return FenceRows.swap(connection, row, owned);
    }

    private boolean isOurs(FenceRow row) {
        return incarnation.moveId().equals(row.moveId());
    }
}
