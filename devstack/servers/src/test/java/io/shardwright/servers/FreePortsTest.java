package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class FreePortsTest {
    @Test
    void neverGivesThePortOutTwice() {
        var given = new HashSet<Integer>();
        for (int i = 0; i < 200; i++) {
            assertThat(given.add(FreePorts.next())).isTrue();
        }
    }

    @Test
    void givesPortsThatCanBeBound() throws Exception {
        int port = FreePorts.next();

        try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            assertThat(socket.getLocalPort()).isEqualTo(port);
        }
    }
}
