package io.shardwright.dataplane.postgres.move.stream;

import io.shardwright.dataplane.postgres.move.stream.Tuple.Value;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.postgresql.replication.LogSequenceNumber;

/**
 * Decodes {@code pgoutput} protocol version 1, text format (PostgreSQL documentation, "Logical Replication Message
 * Formats"). Stateless; the caller keeps the relations.
 */
public final class PgOutputDecoder {
    private PgOutputDecoder() {}

    /** @throws IllegalArgumentException for bytes that are no such message */
    public static LogicalMessage decode(ByteBuffer in) {
        char kind = (char) in.get();
        return switch (kind) {
            case 'B' -> begin(in);
            case 'C' -> commit(in);
            case 'R' -> new LogicalMessage.RelationChange(relation(in));
            case 'I' -> insert(in);
            case 'U' -> update(in);
            case 'D' -> delete(in);
            case 'T' -> truncate(in);
            case 'M' -> text(in);
            case 'O', 'Y' -> new LogicalMessage.Other(kind);
            default -> throw new IllegalArgumentException("unknown pgoutput message " + kind);
        };
    }

    private static LogicalMessage begin(ByteBuffer in) {
        in.getLong(); // position of the commit
        in.getLong(); // time of the commit
        return new LogicalMessage.Begin(Integer.toUnsignedLong(in.getInt()));
    }

    private static LogicalMessage commit(ByteBuffer in) {
        in.get(); // flags, unused
        in.getLong(); // begin of the commit record: started from here the transaction would come twice
        return new LogicalMessage.Commit(LogSequenceNumber.valueOf(in.getLong()));
    }

    private static Relation relation(ByteBuffer in) {
        int id = in.getInt();
        String schema = string(in);
        String name = string(in);
        in.get(); // kind of replica identity
        int count = in.getShort();
        List<Relation.Column> columns = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            boolean key = (in.get() & 1) != 0;
            columns.add(new Relation.Column(string(in), key, in.getInt(), in.getInt()));
        }
        return new Relation(id, schema.isEmpty() ? "pg_catalog" : schema, name, List.copyOf(columns));
    }

    private static LogicalMessage insert(ByteBuffer in) {
        int relation = in.getInt();
        expect(in, 'N');
        return new LogicalMessage.Insert(relation, tuple(in));
    }

    private static LogicalMessage update(ByteBuffer in) {
        int relation = in.getInt();
        char image = (char) in.get();
        Tuple old = null;
        if (image == 'K' || image == 'O') {
            old = tuple(in);
            image = (char) in.get();
        }
        if (image != 'N') {
            throw new IllegalArgumentException("unknown row image " + image);
        }
        return new LogicalMessage.Update(relation, old, tuple(in));
    }

    private static LogicalMessage delete(ByteBuffer in) {
        int relation = in.getInt();
        char image = (char) in.get();
        if (image != 'K' && image != 'O') {
            throw new IllegalArgumentException("unknown row image " + image);
        }
        return new LogicalMessage.Delete(relation, tuple(in));
    }

    private static LogicalMessage truncate(ByteBuffer in) {
        int count = in.getInt();
        in.get(); // CASCADE, RESTART IDENTITY
        List<Integer> relations = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            relations.add(in.getInt());
        }
        return new LogicalMessage.Truncate(List.copyOf(relations));
    }

    private static LogicalMessage text(ByteBuffer in) {
        in.get(); // transactional or not
        in.getLong(); // position
        String prefix = string(in);
        return new LogicalMessage.Text(prefix, string(in, in.getInt()));
    }

    private static Tuple tuple(ByteBuffer in) {
        int count = in.getShort();
        List<Value> values = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            char kind = (char) in.get();
            values.add(
                    switch (kind) {
                        case 'n' -> Value.NULL;
                        case 'u' -> Value.UNCHANGED;
                        case 't' -> Value.of(string(in, in.getInt()));
                        default -> throw new IllegalArgumentException("unknown value kind " + kind);
                    });
        }
        return new Tuple(values);
    }

    private static void expect(ByteBuffer in, char wanted) {
        char found = (char) in.get();
        if (found != wanted) {
            throw new IllegalArgumentException("expected " + wanted + ", found " + found);
        }
    }

    private static String string(ByteBuffer in) {
        int end = in.position();
        while (in.get(end) != 0) {
            end++;
        }
        String text = string(in, end - in.position());
        in.get();
        return text;
    }

    private static String string(ByteBuffer in, int length) {
        String text = new String(in.array(), in.arrayOffset() + in.position(), length, StandardCharsets.UTF_8);
        in.position(in.position() + length);
        return text;
    }
}
