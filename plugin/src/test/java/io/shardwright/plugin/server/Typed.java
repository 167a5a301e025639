package io.shardwright.plugin.server;

import io.shardwright.plugin.Shardwright;
import io.shardwright.plugin.Surroundings;
import java.io.ByteArrayInputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** What somebody has typed, and what he has read. */
record Typed(int exitCode, String out, String err) {
    /** By the owner of that kubeconfig. */
    static Typed by(Path kubeconfig, String... line) {
        return withInput("", kubeconfig, line);
    }

    static Typed withInput(String input, Path kubeconfig, String... line) {
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        List<String> words = new ArrayList<>(List.of(line));
        words.addAll(1, List.of("--kubeconfig", kubeconfig.toString(), "-n", Installed.NAMESPACE));
        int exitCode = Shardwright.run(
                words,
                new Surroundings(
                        new ByteArrayInputStream(input.getBytes(StandardCharsets.UTF_8)),
                        new PrintWriter(out, true),
                        new PrintWriter(err, true),
                        Clock.systemUTC()));
        return new Typed(exitCode, out.toString(), err.toString());
    }
}
