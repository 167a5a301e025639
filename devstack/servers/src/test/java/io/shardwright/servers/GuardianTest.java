package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A JVM of its own is killed while it owns a process and a directory; both go. */
class GuardianTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Owns a directory and a process that does not listen to SIGTERM, says so, and waits. */
    public static final class Owner {
        private Owner() {}

        public static void main(String[] arguments) throws InterruptedException {
            var directory = WorkDirectory.create("owned-by-the-dead");
            var process = OwnedProcess.named("stubborn")
                    .command("sh", "-c", "trap '' TERM; while :; do sleep 0.05; done")
                    .log(directory.resolve("log"))
                    .start();
            process.freeze();
            var disk = SmallDisk.ofMegabytes(1).map(SmallDisk::path).orElse(directory.path());
            System.out.println("owns " + process.pid() + " " + directory.path() + " " + disk);
            Thread.currentThread().join();
        }
    }

    @Test
    void endsProcessesAndRemovesDirectoriesAndDisksOfAJvmThatWasKilled() {
        try (var directory = WorkDirectory.create("guardian-test");
                var owner = OwnedProcess.named("owner")
                        .command(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Owner.class.getName())
                        .log(directory.resolve("owner.log"))
                        .start()) {
            Eventually.until("the owner's line", LIMIT, () -> owns(owner).length == 4, owner::evidence);
            var words = owns(owner);
            var pid = Long.parseLong(words[1]);
            assertThat(ProcessHandle.of(pid)).isPresent();

            owner.kill();

            Eventually.until(
                    "its process to end", LIMIT, () -> ProcessHandle.of(pid).isEmpty(), owner::evidence);
            Eventually.until("its directory to go", LIMIT, () -> Files.notExists(Path.of(words[2])), owner::evidence);
            Eventually.until("its disk to go", LIMIT, () -> Files.notExists(Path.of(words[3])), owner::evidence);
        }
    }

    private static String[] owns(OwnedProcess owner) {
        return owner.tail(5).stream()
                .filter(line -> line.startsWith("owns "))
                .findFirst()
                .map(line -> line.split(" "))
                .orElse(new String[0]);
    }
}
