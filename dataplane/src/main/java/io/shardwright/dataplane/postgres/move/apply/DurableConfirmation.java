package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.stream.SourceStream;
import io.shardwright.dataplane.postgres.move.truth.Standbys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Tells the source what it may forget: only positions whose commit the target has flushed, and its standbys too, because a
 * target that crashes forgets asynchronous commits and has to be able to ask again. About once a second, one query asks
 * whether what had been written at the previous query has become durable.
 */
final class DurableConfirmation {
    private static final long INTERVAL_NANOS = 1_000_000_000L;
    private static final String QUERY = """
        SELECT pg_current_wal_insert_lsn()::text,
               ?::pg_lsn <= pg_current_wal_flush_lsn() AND COALESCE(
                 (SELECT bool_and(COALESCE(r.flush_lsn >= ?::pg_lsn, false)) FROM pg_stat_replication r WHERE %s), ?)\
        """.formatted(Standbys.ARE_STANDBYS);

    private final Connection target;
    private final SourceStream stream;
    private final PreparedStatement query;
    private long asked = System.nanoTime();
    private LogSequenceNumber written;
    private String writtenUpTo;

    /** @param aloneIsDurable a target without a connected standby has nobody to fail over to */
    DurableConfirmation(Connection target, SourceStream stream, boolean aloneIsDurable) throws SQLException {
        this.target = target;
        this.stream = stream;
        query = target.prepareStatement(QUERY);
        query.setBoolean(3, aloneIsDurable);
    }

    /** After a commit on the target. @param position of the source that the progress row has now */
    void committed(LogSequenceNumber position) throws SQLException {
        if (System.nanoTime() - asked < INTERVAL_NANOS) {
            return;
        }
        asked = System.nanoTime();
        query.setString(1, writtenUpTo);
        query.setString(2, writtenUpTo);
        try (ResultSet row = query.executeQuery()) {
            row.next();
            boolean durable = row.getBoolean(2);
            if (writtenUpTo == null || durable) {
                if (durable) {
                    stream.confirm(written);
                }
                writtenUpTo = row.getString(1);
                written = position;
            }
        }
        target.commit();
    }
}
