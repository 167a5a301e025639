package io.shardwright.dataplane.postgres.move.stream;

import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.Side;
import java.nio.ByteBuffer;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.postgresql.PGConnection;
import org.postgresql.replication.LogSequenceNumber;
import org.postgresql.replication.PGReplicationStream;

/**
 * The one replication stream of a move. Reads block. Nothing is ever confirmed by itself: the driver would otherwise do so
 * on keepalives, also in the middle of a transaction.
 */
public final class SourceStream {
    private final Side source;
    private final Connection connection;
    private final PGReplicationStream stream;

    private SourceStream(Side source, Connection connection, PGReplicationStream stream) {
        this.source = source;
        this.connection = connection;
        this.stream = stream;
    }

    /** @param from end position of what has been applied */
    public static SourceStream open(Side source, String slot, String publication, LogSequenceNumber from)
            throws MoverFault {
        Connection connection = source.openReplication();
        try {
            PGReplicationStream stream = connection
                    .unwrap(PGConnection.class)
                    .getReplicationAPI()
                    .replicationStream()
                    .logical()
                    .withSlotName(slot)
                    .withSlotOption("proto_version", "1")
                    .withSlotOption("publication_names", publication)
                    .withSlotOption("messages", "true")
                    .withStartPosition(from)
                    .withStatusInterval(1, TimeUnit.SECONDS)
                    .withAutomaticFlush(false)
                    .start();
            stream.setFlushedLSN(from);
            stream.setAppliedLSN(from);
            return new SourceStream(source, connection, stream);
        } catch (SQLException e) {
            source.end(connection);
            throw source.fault("start streaming from slot " + slot, e);
        }
    }

    /** Waits for the next message. */
    public LogicalMessage next() throws SQLException {
        ByteBuffer message = stream.read();
        if (message == null) {
            throw new SQLException("the server ended the stream", "08006");
        }
        return PgOutputDecoder.decode(message);
    }

    /** @return the next message if it is here already, else null */
    public LogicalMessage nextIfPending() throws SQLException {
        ByteBuffer message = stream.readPending();
        return message == null ? null : PgOutputDecoder.decode(message);
    }

    /** Lets the source forget everything before; only for what is durable on the target. */
    public void confirm(LogSequenceNumber position) throws SQLException {
        stream.setFlushedLSN(position);
        stream.setAppliedLSN(position);
        stream.forceUpdateStatus();
    }

    public MoverFault fault(SQLException e) {
        return source.fault("read the replication stream", e);
    }

    /** Ends the session at once, also while another thread reads. */
    public void close() {
        source.end(connection);
    }
}
