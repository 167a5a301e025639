package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Finds etcd, kube-apiserver, kube-controller-manager and kubectl: {@code KUBEBUILDER_ASSETS}, else the Go module of
 * {@code devstack/controlplane}, built on first use by its own {@code build.sh}. The module's sources are resources of this
 * room, so it works without a checkout as well.
 */
final class ControlPlaneBinaries {
    private static final List<String> SOURCES = List.of("build.sh", "go.mod", "go.sum", "main.go");
    private static Path found;

    private ControlPlaneBinaries() {}

    static synchronized Path directory() {
        if (found == null) {
            found = build();
        }
        return found;
    }

    private static Path build() {
        try (var sources = WorkDirectory.create("control-plane-sources")) {
            for (var name : SOURCES) {
                try (var in = ControlPlaneBinaries.class.getResourceAsStream("controlplane/" + name)) {
                    Files.copy(in, sources.resolve(name));
                }
            }
            var answer = sources.resolve("answer");
            var process = new ProcessBuilder("sh", sources.resolve("build.sh").toString())
                    .redirectInput(Path.of("/dev/null").toFile())
                    .redirectOutput(answer.toFile())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            if (process.waitFor() != 0) {
                throw new IllegalStateException("the control plane could not be built; its log stands above");
            }
            return Path.of(Files.readString(answer).strip());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while the control plane was built", e);
        }
    }
}
