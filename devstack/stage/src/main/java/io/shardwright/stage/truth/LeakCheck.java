package io.shardwright.stage.truth;

import io.shardwright.servers.Eventually;
import io.shardwright.servers.OwnedProcess;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** Remembers what a stage has on the machine, and finds what of it is still there after the stage was closed. */
public final class LeakCheck {
    private final Duration limit;
    private final List<ProcessHandle> processes = new ArrayList<>();
    private final List<Path> directories = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();

    public LeakCheck() {
        this(Duration.ofSeconds(10));
    }

    /** @param limit how long the last ones may take to go */
    LeakCheck(Duration limit) {
        this.limit = limit;
    }

    /** The process, every child that it has now, and the directory that its log is in. */
    public void remember(OwnedProcess process) {
        ProcessHandle.of(process.pid()).ifPresent(handle -> {
            processes.add(handle);
            handle.descendants().forEach(processes::add);
        });
        directories.add(process.log().getParent());
    }

    public void remember(int port) {
        ports.add(port);
    }

    /** @throws IllegalStateException when a process, a directory or a listener is left */
    public void verify() {
        Eventually.until(
                "everything of the stage to be gone", limit, () -> left().isEmpty(), () -> String.join("\n", left()));
    }

    private List<String> left() {
        return Stream.of(
                        processes.stream()
                                .filter(ProcessHandle::isAlive)
                                .map(process -> "process " + process.pid() + " "
                                        + process.info().command().orElse("")),
                        directories.stream().filter(Files::exists).map(directory -> "directory " + directory),
                        ports.stream().filter(LeakCheck::listens).map(port -> "listener on port " + port))
                .flatMap(lines -> lines)
                .toList();
    }

    private static boolean listens(int port) {
        try (var socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 500);
            return true;
        } catch (ConnectException e) {
            return false; // refused
        } catch (IOException e) {
            return true; // somebody is there and does not answer
        }
    }
}
