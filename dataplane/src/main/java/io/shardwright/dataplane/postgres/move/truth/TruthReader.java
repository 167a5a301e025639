package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.MoveReport.Truth;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import org.postgresql.replication.LogSequenceNumber;

/** Reads what the databases know about a move: fence rows, progress, and whether the stream can go on from there. */
public final class TruthReader {
    private final Incarnation incarnation;

    public TruthReader(Incarnation incarnation) {
        this.incarnation = incarnation;
    }

    public Truth read() throws MoverFault {
        SortedMap<Scope, String> demoted = new TreeMap<>();
        SortedMap<Scope, FenceRow> source = fence(incarnation.source(), demoted);
        SortedMap<Scope, FenceRow> target = fence(incarnation.target(), demoted);
        Optional<ProgressRow> progress =
                incarnation.target().read("read the progress", connection -> ProgressRow.read(connection, incarnation));
        return new Truth(source, target, progress.isPresent() && resumable(progress.get()), demoted);
    }

    private SortedMap<Scope, FenceRow> fence(Side side, SortedMap<Scope, String> demoted) throws MoverFault {
        SortedSet<Scope> scopes = incarnation.task().scopes();
        return side.read("read the fence", connection -> {
            side.refuseNewerFence(connection);
            CleanupRecords.demoted(connection, scopes).forEach(scope -> demoted.put(scope, side.shard()));
            return FenceRows.deciding(connection, scopes);
        });
    }

    /**
     * The copy is complete, both servers are still the ones of that time, and the slot keeps everything from the progress
     * row on: a slot that has confirmed more than was applied has lost what lies between.
     */
    public boolean resumable(ProgressRow progress) throws MoverFault {
        if (!progress.copied() || progress.position() == null || !servers().equals(progress.servers())) {
            return false;
        }
        return incarnation.source().read("look at the slot", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(
                    "SELECT confirmed_flush_lsn::text FROM pg_replication_slots WHERE slot_name = ?"
                            + " AND wal_status IS DISTINCT FROM 'lost' AND restart_lsn IS NOT NULL")) {
                statement.setString(1, incarnation.slot());
                try (ResultSet slot = statement.executeQuery()) {
                    return slot.next()
                            && LogSequenceNumber.valueOf(slot.getString(1)).asLong()
                                    <= progress.position().asLong();
                }
            }
        });
    }

    /** Identity and timeline of both servers. */
    public String servers() throws MoverFault {
        return incarnation.source().read("ask who it is", TruthReader::server)
                + ">"
                + incarnation.target().read("ask who it is", TruthReader::server);
    }

    private static String server(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT (pg_control_system()).system_identifier || '/' ||"
                        + " substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)")) {
            row.next();
            return row.getString(1);
        }
    }
}
