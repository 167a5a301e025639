package io.shardwright.dataplane.postgres.move.copy;

import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.throttle.Brake;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ProgressRow;
import io.shardwright.dataplane.postgres.move.truth.TruthReader;
import io.shardwright.dataplane.postgres.move.truth.WritableRows;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Set;
import java.util.SortedSet;
import java.util.function.Consumer;
import org.postgresql.replication.LogSequenceNumber;

/**
 * The copy of all rows of the set, from the snapshot of a new slot. A crash before its end means a new copy: only then the
 * progress row says that it may be resumed.
 */
public final class SnapshotCopy {
    /** A column, a table or a type that one of them has not: a migration is under way, and it ends. */
    private static final Set<String> TABLES_DIFFER = Set.of("42703", "42P01", "42804");

    private final Incarnation incarnation;
    private final MovedTables tables;
    private final SortedSet<Scope> scopes;
    private final Consumer<Progress> progress;
    private final Brake brake;
    private long total;
    private long copied;
    private long bytes;
    private long started;

    /**
     * @param scopes those of the set that are not activated yet
     * @param brake asked before each chunk
     */
    public SnapshotCopy(
            Incarnation incarnation,
            MovedTables tables,
            SortedSet<Scope> scopes,
            Consumer<Progress> progress,
            Brake brake) {
        this.incarnation = incarnation;
        this.brake = brake;
        this.tables = tables;
        this.scopes = scopes;
        this.progress = progress;
    }

    /** @return where the stream has to begin */
    public LogSequenceNumber run() throws MoverFault {
        String servers = new TruthReader(incarnation).servers();
        Connection reader = incarnation.source().open(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(10));
        try {
            LogSequenceNumber start = beginAtSnapshot(reader, servers);
            copyAll(reader);
            incarnation.step(MoverStep.MARK_COPIED, () -> mark(start, true, servers));
            return start;
        } finally {
            incarnation.source().end(reader);
        }
    }

    /** The same without a slot, for rows that nobody writes any more. @param reader has its snapshot already */
    public void from(Connection reader) throws MoverFault {
        copyAll(reader);
    }

    private LogSequenceNumber beginAtSnapshot(Connection reader, String servers) throws MoverFault {
        try (SnapshotSlot slot = incarnation.step(MoverStep.CREATE_SLOT, () -> SnapshotSlot.create(incarnation))) {
            slot.importInto(reader);
            mark(slot.consistentPoint(), false, servers);
            return slot.consistentPoint();
        } catch (SQLException e) {
            throw incarnation.source().fault("import the snapshot", e);
        }
    }

    private Void mark(LogSequenceNumber start, boolean complete, String servers) throws MoverFault {
        return incarnation.target().commit("write the progress row", connection -> {
            ProgressRow.write(connection, incarnation, start, complete, servers);
            return null;
        });
    }

    private void copyAll(Connection reader) throws MoverFault {
        Connection writer = incarnation.target().open(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(10));
        try (Statement statement = writer.createStatement()) {
            statement.execute("SET session_replication_role = replica; SET synchronous_commit = off");
            writer.setAutoCommit(false);
            total = count(reader);
            started = System.nanoTime();
            for (MovedTable table : tables.tables()) {
                copy(reader, writer, table);
            }
            if (copied != total) {
                throw MoverFault.diverged("copied " + copied + " rows of " + total);
            }
        } catch (SQLException e) {
            throw TABLES_DIFFER.contains(e.getSQLState())
                    ? MoverFault.schemaChanged("the sharded tables of shards "
                            + incarnation.source().shard() + " and "
                            + incarnation.target().shard() + " differ: " + e.getMessage())
                    : incarnation
                            .target()
                            .fault("copy rows from " + incarnation.source().shard(), e);
        } finally {
            incarnation.target().endGently(writer);
        }
    }

    private long count(Connection reader) throws SQLException {
        long rows = 0;
        try (Statement statement = reader.createStatement()) {
            for (MovedTable table : tables.tables()) {
                try (ResultSet row =
                        statement.executeQuery("SELECT count(*) FROM " + table.sql() + " WHERE " + table.in(scopes))) {
                    row.next();
                    rows += row.getLong(1);
                }
            }
        }
        return rows;
    }

    private void copy(Connection reader, Connection writer, MovedTable table) throws SQLException, MoverFault {
        try (TableCopy rows = new TableCopy(reader, table, scopes)) {
            while (rows.hasMore()) {
                brake.awaitRelease();
                incarnation.before(MoverStep.COPY);
                checkRights(writer);
                TableCopy.Chunk chunk = rows.writeChunk(writer);
                writer.commit();
                incarnation.done(MoverStep.COPY);
                copied += chunk.rows();
                bytes += chunk.bytes();
                brake.copied(chunk.bytes());
                report();
            }
        }
    }

    /** Each chunk is signed and stands under the fence row, because it goes past the triggers. */
    private void checkRights(Connection writer) throws SQLException, MoverFault {
        ProgressRow.sign(writer, incarnation);
        WritableRows.lock(writer, incarnation, scopes);
    }

    private void report() {
        double seconds = Math.max(1e-3, (System.nanoTime() - started) / 1e9);
        progress.accept(new Progress(copied, total, (long) (bytes / seconds), 0));
    }
}
