package io.shardwright.plugin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Clock;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UsageTest {
    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @ParameterizedTest
    @ValueSource(strings = {"plan", "explain", "moves", "acks", "pause", "resume", "abort", "reverse", "complete"})
    void everyCommandShowsExamplesOfItself(String command) {
        assertThat(run(command, "-h")).isEqualTo(ExitCode.DONE);
        assertThat(out.toString())
                .contains("Examples:", "  kubectl shardwright " + command, "--kubeconfig", "--context", "--namespace");
    }

    @Test
    void theListOfCommandsNamesTheExitCodesAndHidesWhatOnlyShellsCall() {
        assertThat(run("-h")).isEqualTo(ExitCode.DONE);
        assertThat(out.toString())
                .contains(
                        "plan",
                        "explain",
                        "complete",
                        "0 done, 1 refused or failed, 2 wrong command line, 3 not in time")
                .doesNotContain("candidates");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "fly",
                "explain",
                "pause",
                "plan -o xml",
                "moves --nmaespace shop",
                "plan a b",
                "pause m --timeout soon",
                "plan -f /nowhere/to/be/found",
                "moves --kubeconfig /nowhere/to/be/found"
            })
    void aWrongCommandLineIsTwo(String line) {
        assertThat(run(line.isEmpty() ? new String[0] : line.split(" "))).isEqualTo(ExitCode.USAGE);
        assertThat(err.toString()).isNotBlank().doesNotContain("\tat ");
    }

    private int run(String... arguments) {
        return Shardwright.run(
                List.of(arguments),
                new Surroundings(
                        InputStream.nullInputStream(),
                        new PrintWriter(out, true),
                        new PrintWriter(err, true),
                        Clock.systemUTC()));
    }
}
