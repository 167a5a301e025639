package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;

/**
 * Free loopback ports. The kernel names a free one; within this JVM none is given out twice, so servers that start side
 * by side do not meet. A process outside may still take one before the server binds it: the server then says so and stops.
 */
public final class FreePorts {
    private static final Set<Integer> GIVEN = new HashSet<>();

    private FreePorts() {}

    /** A port nobody listens on. */
    public static synchronized int next() {
        for (int tries = 0; tries < 1_000; tries++) {
            int port = ask();
            if (GIVEN.add(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free loopback port that was not given out before");
    }

    private static int ask() {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
