package io.shardwright.dataplane.postgres.move.copy;

import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.routing.Scope;
import java.io.ByteArrayOutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import org.postgresql.PGConnection;
import org.postgresql.copy.CopyIn;
import org.postgresql.copy.CopyOut;

/**
 * One scan of one table in the order of its primary key, cut into chunks. The server sends each row as one message, which
 * is what makes cutting possible; the binary header travels with the first row and is put before every chunk.
 */
final class TableCopy implements AutoCloseable {
    private static final int CHUNK_BYTES = 4 << 20;
    private static final int SIGNATURE_AND_FLAGS = 15;

    private final MovedTable table;
    private final String format;
    private final CopyOut rows;
    private byte[] header = new byte[0];
    private byte[] pending;

    TableCopy(Connection reader, MovedTable table, Collection<Scope> scopes) throws SQLException {
        this.table = table;
        format = table.builtInTypesOnly() ? "binary" : "text";
        rows = reader.unwrap(PGConnection.class)
                .getCopyAPI()
                .copyOut("COPY (SELECT " + table.columnList() + " FROM " + table.sql() + " WHERE " + table.in(scopes)
                        + " ORDER BY " + table.keyList() + ") TO STDOUT (FORMAT " + format + ")");
        pending = rows.readFromCopy();
        if (binary() && pending != null) {
            splitHeader();
        }
    }

    private boolean binary() {
        return format.equals("binary");
    }

    /** Signature and flags are fixed; the extension behind them says its own length. */
    private void splitHeader() throws SQLException {
        int extension = java.nio.ByteBuffer.wrap(pending).getInt(SIGNATURE_AND_FLAGS);
        int length = SIGNATURE_AND_FLAGS + Integer.BYTES + extension;
        header = java.util.Arrays.copyOf(pending, length);
        pending = java.util.Arrays.copyOfRange(pending, length, pending.length);
        if (pending.length == 0) {
            pending = rows.readFromCopy();
        }
    }

    /** More rows may be there. A trailer of the binary format alone is no row. */
    boolean hasMore() {
        return pending != null && !(binary() && pending.length == 2);
    }

    /** @return rows and bytes written into the open transaction of the writer */
    Chunk writeChunk(Connection writer) throws SQLException {
        CopyIn in = writer.unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn("COPY " + table.sql() + " (" + table.columnList() + ") FROM STDIN (FORMAT " + format + ")");
        try {
            long bytes = 0;
            ByteArrayOutputStream buffer = new ByteArrayOutputStream(1 << 16);
            buffer.writeBytes(header);
            while (hasMore() && bytes < CHUNK_BYTES) {
                buffer.writeBytes(pending);
                bytes += pending.length;
                if (buffer.size() >= 1 << 16) {
                    flush(buffer, in);
                }
                pending = rows.readFromCopy();
            }
            if (binary()) {
                buffer.write(0xff);
                buffer.write(0xff);
            }
            flush(buffer, in);
            return new Chunk(in.endCopy(), bytes);
        } finally {
            if (in.isActive()) {
                in.cancelCopy();
            }
        }
    }

    private static void flush(ByteArrayOutputStream buffer, CopyIn in) throws SQLException {
        in.writeToCopy(buffer.toByteArray(), 0, buffer.size());
        buffer.reset();
    }

    record Chunk(long rows, long bytes) {}

    /** After the last row the session can be used for the next table; before it the server is told to stop. */
    @Override
    public void close() throws SQLException {
        if (hasMore()) {
            rows.cancelCopy();
            return;
        }
        while (pending != null) {
            pending = rows.readFromCopy();
        }
    }
}
