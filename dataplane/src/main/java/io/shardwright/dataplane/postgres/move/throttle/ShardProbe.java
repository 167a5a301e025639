package io.shardwright.dataplane.postgres.move.throttle;

import io.shardwright.dataplane.postgres.move.throttle.ShardReading.Slot;
import io.shardwright.dataplane.postgres.move.throttle.ShardReading.Standby;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.Side;
import io.shardwright.dataplane.postgres.move.truth.Standbys;
import io.shardwright.dataplane.postgres.probe.Space;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.postgresql.replication.LogSequenceNumber;

/** Asks the primary of one shard how it is, in a session of its own that is opened anew when it is lost. */
final class ShardProbe {
    /** A standby that has applied nothing yet, or never applies, is where it has flushed. */
    private static final String STANDBYS =
            "SELECT f.lsn::text, r.pid, concat(r.application_name, ' at ' || host(r.client_addr)),"
                    + " COALESCE(r.replay_lsn, r.flush_lsn, r.write_lsn)::text"
                    + " FROM (SELECT pg_current_wal_flush_lsn() AS lsn) f LEFT JOIN pg_stat_replication r ON "
                    + Standbys.ARE_STANDBYS;

    /** Less than a segment of log nobody can let go. */
    private static final String SLOT = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), restart_lsn)::bigint,"
            + " max_bytes, greatest(max_bytes, pg_size_bytes(current_setting('wal_segment_size')))"
            + " FROM pg_replication_slots,"
            + " (SELECT pg_size_bytes(current_setting('max_slot_wal_keep_size')) AS max_bytes) m"
            + " WHERE slot_name = ? AND restart_lsn IS NOT NULL";

    /** A commit that leaves nothing behind and waits for no standby: how far those are is another question. */
    private static final String COMMIT = "SELECT pg_logical_emit_message(true, 'shardwright.probe', '')";

    private final Side side;
    private final Optional<String> slot;
    private final boolean target;
    private final boolean capacityDeclared;
    private Connection connection;

    private ShardProbe(Side side, Optional<String> slot, boolean target, boolean capacityDeclared) {
        this.side = side;
        this.slot = slot;
        this.target = target;
        this.capacityDeclared = capacityDeclared;
    }

    static ShardProbe ofSource(Side side, String slot) {
        return new ShardProbe(side, Optional.of(slot), false, false);
    }

    static ShardProbe ofTarget(Side side, boolean capacityDeclared) {
        return new ShardProbe(side, Optional.empty(), true, capacityDeclared);
    }

    ShardReading look() throws MoverFault {
        long began = System.nanoTime();
        try {
            if (connection == null) {
                connection = open();
            }
            LogAndStandbys seen = standbys();
            long answered = System.nanoTime();
            return new ShardReading(
                    began, answered, seen.logEnd(), seen.standbys(), commitMs(), space(), slotReading());
        } catch (SQLException e) {
            close();
            throw side.fault("look how it is", e);
        }
    }

    private Connection open() throws MoverFault, SQLException {
        Connection opened = side.open(Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(2));
        try (Statement statement = opened.createStatement()) {
            statement.execute("SET synchronous_commit = local");
            return opened;
        } catch (SQLException e) {
            side.end(opened);
            throw e;
        }
    }

    private record LogAndStandbys(long logEnd, List<Standby> standbys) {}

    private LogAndStandbys standbys() throws SQLException {
        long logEnd = 0;
        List<Standby> standbys = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(STANDBYS)) {
            while (row.next()) {
                logEnd = LogSequenceNumber.valueOf(row.getString(1)).asLong();
                if (row.getString(2) != null) {
                    standbys.add(new Standby(row.getString(3), position(row.getString(4))));
                }
            }
        }
        return new LogAndStandbys(logEnd, standbys);
    }

    private static OptionalLong position(String text) {
        return text == null
                ? OptionalLong.empty()
                : OptionalLong.of(LogSequenceNumber.valueOf(text).asLong());
    }

    private OptionalDouble commitMs() throws SQLException {
        if (!target) {
            return OptionalDouble.empty();
        }
        long began = System.nanoTime();
        try (Statement statement = connection.createStatement()) {
            statement.execute(COMMIT);
        }
        return OptionalDouble.of((System.nanoTime() - began) / 1e6);
    }

    private Optional<Space> space() throws SQLException {
        return capacityDeclared ? Optional.of(Space.read(connection)) : Optional.empty();
    }

    private Optional<Slot> slotReading() throws SQLException {
        if (slot.isEmpty()) {
            return Optional.empty();
        }
        try (PreparedStatement statement = connection.prepareStatement(SLOT)) {
            statement.setString(1, slot.get());
            try (ResultSet row = statement.executeQuery()) {
                return row.next()
                        ? Optional.of(new Slot(
                                row.getLong(1),
                                row.getLong(2) < 0 ? OptionalLong.empty() : OptionalLong.of(row.getLong(3))))
                        : Optional.empty();
            }
        }
    }

    void close() {
        if (connection != null) {
            side.end(connection);
            connection = null;
        }
    }
}
