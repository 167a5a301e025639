package io.shardwright.servers.faults;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * One message of PostgreSQL's protocol, version 3.
 *
 * @param type 0 for those before a session has begun, which have none
 */
record WireMessage(char type, byte[] body) {
    static final char UNTYPED = 0;
    private static final int LENGTH_BYTES = 4;

    static WireMessage untyped(DataInputStream in) throws IOException {
        return new WireMessage(UNTYPED, body(in));
    }

    static WireMessage typed(DataInputStream in) throws IOException {
        return new WireMessage((char) in.readUnsignedByte(), body(in));
    }

    private static byte[] body(DataInputStream in) throws IOException {
        int length = in.readInt() - LENGTH_BYTES;
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException();
        }
        return body;
    }

    void write(DataOutputStream out) throws IOException {
        if (type != UNTYPED) {
            out.writeByte(type);
        }
        out.writeInt(body.length + LENGTH_BYTES);
        out.write(body);
    }

    /** The texts that begin at a position, each ended by a zero byte. */
    String[] texts(int from, int count) {
        var texts = new String[count];
        int start = from;
        for (int i = 0; i < count; i++) {
            int end = start;
            while (body[end] != 0) {
                end++;
            }
            texts[i] = new String(body, start, end - start, StandardCharsets.UTF_8);
            start = end + 1;
        }
        return texts;
    }

    String text() {
        return texts(0, 1)[0];
    }
}
