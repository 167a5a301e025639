package io.shardwright.dataplane.postgres.move.verify;

import io.shardwright.dataplane.MoveReport.Verification;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Compares rows that nobody writes: those of the source in the snapshot from which they were copied, those of the target as they are.
 * So there is no marker to wait for, nothing is dirty, and one round says it all.
 */
public final class StillVerification {
    private final Incarnation incarnation;
    private final MovedTables tables;
    private final Set<Scope> scopes;
    private int chunks;
    private int differing;

    public StillVerification(Incarnation incarnation, MovedTables tables, Set<Scope> scopes) {
        this.incarnation = incarnation;
        this.tables = tables;
        this.scopes = Set.copyOf(scopes);
    }

    /** @param source the session with the snapshot. @throws MoverFault DIVERGED when anything differs */
    public void run(Connection source) throws MoverFault {
        Connection target = MarkedSnapshots.open(incarnation.target());
        try {
            for (MovedTable table : tables.tables()) {
                compare(new TableSums(table, scopes, RowVerification.CHUNKS), source, target);
            }
        } catch (SQLException e) {
            throw incarnation
                    .target()
                    .fault("compare rows with " + incarnation.source().shard(), e);
        } finally {
            incarnation.target().endGently(target);
        }
        if (differing > 0) {
            throw MoverFault.diverged(differing + " parts of the rows differ between "
                    + incarnation.source().shard() + " and "
                    + incarnation.target().shard()
                    + ", which were copied behind the fence");
        }
    }

    private void compare(TableSums sums, Connection source, Connection target) throws SQLException {
        Map<Integer, TableSums.Sum> here = sums.read(source);
        Map<Integer, TableSums.Sum> there = sums.read(target);
        chunks += here.size();
        Set<Integer> all = new HashSet<>(here.keySet());
        all.addAll(there.keySet());
        all.removeIf(chunk -> Objects.equals(here.get(chunk), there.get(chunk)));
        differing += all.size();
    }

    /** What was compared, also when a fault ended it. */
    public Verification result() {
        return new Verification(1, chunks, differing);
    }
}
