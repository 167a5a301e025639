package io.shardwright.stage.truth;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.servers.Eventually;
import io.shardwright.servers.OwnedProcess;
import io.shardwright.servers.WorkDirectory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LeakCheckTest {
    @Test
    void isContentWhenProcessAndDirectoryAreGone() {
        var check = new LeakCheck();
        try (var directory = WorkDirectory.create("clean");
                var process = sleeper(directory)) {
            check.remember(process);
        }

        check.verify();
    }

    @Test
    void namesAProcessThatIsLeft() {
        var check = new LeakCheck(Duration.ofMillis(300));
        var directory = WorkDirectory.create("left");
        try (var process = sleeper(directory)) {
            check.remember(process);
            directory.close();

            assertThatThrownBy(check::verify)
                    .isInstanceOf(Eventually.NotInTimeException.class)
                    .hasMessageContaining("process " + process.pid());
        }
    }

    @Test
    void namesADirectoryThatIsLeft() {
        var check = new LeakCheck(Duration.ofMillis(300));
        try (var directory = WorkDirectory.create("left")) {
            var process = sleeper(directory);
            check.remember(process);
            process.close();

            assertThatThrownBy(check::verify).hasMessageContaining("directory " + directory.path());
        }
    }

    @Test
    void namesAListenerThatIsLeft() throws Exception {
        var check = new LeakCheck(Duration.ofMillis(300));
        try (var socket = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            check.remember(socket.getLocalPort());

            assertThatThrownBy(check::verify).hasMessageContaining("port " + socket.getLocalPort());
        }
    }

    private static OwnedProcess sleeper(WorkDirectory directory) {
        return OwnedProcess.named("sleeper")
                .command("sleep", "600")
                .log(directory.resolve("log"))
                .start();
    }
}
