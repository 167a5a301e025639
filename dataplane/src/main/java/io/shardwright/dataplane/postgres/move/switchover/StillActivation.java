package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.move.truth.FenceRows;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.KeyRows;
import io.shardwright.dataplane.postgres.move.truth.KeyTombstones;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.Overrides;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.WritableRows;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;

/**
 * 7d of buckets whose rows were copied behind the fence, so that there is no tail and no marker: one transaction of the target with
 * its token and the same compare-and-swap. It is written by the session that has claimed the target: had the target crashed since, and
 * lost what was copied, that session would be gone.
 */
public final class StillActivation {
    private final Incarnation incarnation;
    private final FencedSnapshot source;
    private final GroupEpochs group;
    private final Overrides overrides;

    /** @param source from which the target has all rows; @param overrides keys that do not come with their buckets */
    public StillActivation(Incarnation incarnation, FencedSnapshot source, Overrides overrides) {
        this.overrides = overrides;
        this.incarnation = incarnation;
        this.source = source;
        group = source.group();
    }

    /** @return epochs on the new owner */
    public SortedMap<Scope, Long> run() throws MoverFault {
        try (TargetLock lock = new TargetLock(incarnation, group.scopes())) {
            if (!incarnation.step(MoverStep.LOCK_TARGET, lock::take)) {
                throw MoverFault.blocked(
                        "older transactions hold " + Scope.words(group.scopes()) + " on shard "
                                + incarnation.target().shard(),
                        "nothing: it is tried again");
            }
            incarnation.step(MoverStep.ACTIVATE_TARGET, () -> {
                source.confirm();
                return incarnation.target().commit("activate " + group.scopes(), this::activate);
            });
            incarnation.before(MoverStep.RELEASE_TARGET);
            lock.release();
            incarnation.done(MoverStep.RELEASE_TARGET);
        }
        return group.after();
    }

    private Void activate(Connection connection) throws SQLException, MoverFault {
        ProgressRow.sign(connection, incarnation);
        writeTombstones(connection);
        for (Map.Entry<Scope, Long> scope : group.before().entrySet()) {
            if (!FenceRows.swap(connection, importing(scope), owned(scope))) {
                throw WritableRows.lost(connection, incarnation, group.scopes());
            }
        }
        KeyRows.recount(connection, Scope.bucketsOf(group.scopes()));
        return null;
    }

    private void writeTombstones(Connection connection) throws SQLException {
        List<FenceRow> tombstones = overrides.tombstones(incarnation.source().shard()).stream()
                .filter(row -> group.scopes().contains(row.scope().ofBucket()))
                .toList();
        try (PreparedStatement statement = connection.prepareStatement(KeyTombstones.WRITE)) {
            KeyTombstones.bind(connection, statement, 1, tombstones);
            statement.executeUpdate();
        }
    }

    private FenceRow importing(Map.Entry<Scope, Long> scope) {
        return new FenceRow(scope.getKey(), FenceState.IMPORTING, scope.getValue(), null, incarnation.moveId());
    }

    private FenceRow owned(Map.Entry<Scope, Long> scope) {
        return new FenceRow(
                scope.getKey(),
                FenceState.OWNED,
                scope.getValue() + 1,
                incarnation.target().shard(),
                incarnation.moveId());
    }
}
