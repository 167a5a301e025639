package io.shardwright.dataplane.postgres.move.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.postgres.move.stream.Tuple.Value;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.postgresql.replication.LogSequenceNumber;

/** Message by message, from bytes as the documentation of PostgreSQL describes them. */
class PgOutputDecoderTest {
    /** Bytes of one message, written piece by piece. */
    private static final class Bytes {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Bytes kind(char kind) {
            out.write(kind);
            return this;
        }

        Bytes int16(int value) {
            out.writeBytes(ByteBuffer.allocate(2).putShort((short) value).array());
            return this;
        }

        Bytes int32(int value) {
            out.writeBytes(ByteBuffer.allocate(4).putInt(value).array());
            return this;
        }

        Bytes int64(long value) {
            out.writeBytes(ByteBuffer.allocate(8).putLong(value).array());
            return this;
        }

        Bytes text(String value) {
            out.writeBytes(value.getBytes(StandardCharsets.UTF_8));
            out.write(0);
            return this;
        }

        Bytes value(String value) {
            byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
            kind('t').int32(bytes.length);
            out.writeBytes(bytes);
            return this;
        }

        LogicalMessage decoded() {
            return PgOutputDecoder.decode(ByteBuffer.wrap(out.toByteArray()));
        }
    }

    @Test
    void beginKeepsTheUnsignedTransactionId() {
        assertThat(new Bytes().kind('B').int64(1).int64(2).int32(-1).decoded())
                .isEqualTo(new LogicalMessage.Begin(4_294_967_295L));
    }

    @Test
    void commitGivesThePositionBehindTheTransaction() {
        assertThat(new Bytes()
                        .kind('C')
                        .kind('\0')
                        .int64(100)
                        .int64(140)
                        .int64(7)
                        .decoded())
                .isEqualTo(new LogicalMessage.Commit(LogSequenceNumber.valueOf(140)));
    }

    @Test
    void anUpdateTellsNullFromUnchangedAndKeepsTheOldKey() {
        LogicalMessage message = new Bytes()
                .kind('U')
                .int32(9)
                .kind('K')
                .int16(2)
                .value("1")
                .kind('n')
                .kind('N')
                .int16(2)
                .value("2")
                .kind('u')
                .decoded();
        assertThat(message)
                .isEqualTo(new LogicalMessage.Update(
                        9,
                        new Tuple(List.of(Value.of("1"), Value.NULL)),
                        new Tuple(List.of(Value.of("2"), Value.UNCHANGED))));
    }

    @Test
    void anInsertCarriesTextInAnyScript() {
        assertThat(new Bytes()
                        .kind('I')
                        .int32(9)
                        .kind('N')
                        .int16(1)
                        .value("Ü😀")
                        .decoded())
                .isEqualTo(new LogicalMessage.Insert(9, new Tuple(List.of(Value.of("Ü😀")))));
    }

    @Test
    void aRelationNamesItsColumnsAndItsKey() {
        LogicalMessage message = new Bytes()
                .kind('R')
                .int32(9)
                .text("public")
                .text("orders")
                .kind('d')
                .int16(1)
                .kind('\1')
                .text("id")
                .int32(20)
                .int32(-1)
                .decoded();
        assertThat(message)
                .isEqualTo(new LogicalMessage.RelationChange(
                        new Relation(9, "public", "orders", List.of(new Relation.Column("id", true, 20, -1)))));
    }

    @Test
    void aTextMessageOfATransactionIsRead() {
        assertThat(new Bytes()
                        .kind('M')
                        .kind('\1')
                        .int64(1)
                        .text("shardwright.token")
                        .int32(2)
                        .kind('a')
                        .kind('b')
                        .decoded())
                .isEqualTo(new LogicalMessage.Text("shardwright.token", "ab"));
    }

    @Test
    void whatIsNoMessageIsRefused() {
        assertThatThrownBy(() -> new Bytes().kind('?').decoded()).isInstanceOf(IllegalArgumentException.class);
    }
}
