package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;

class BriefJvmTest {
    @Test
    void takesEveryCipherSuiteThatThisJvmTakesButAesGcmAndNothingElse() throws Exception {
        List<String> here = List.of(suites().split(","));
        List<String> there = List.of(inABriefJvm().split(","));

        assertThat(there).isSubsetOf(here).contains("TLS_CHACHA20_POLY1305_SHA256");
        assertThat(here).contains("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384");
        assertThat(there).doesNotContain("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384");
    }

    private static String inABriefJvm() throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(BriefJvm.options());
        command.addAll(List.of(
                "-cp",
                Path.of(BriefJvmTest.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                                .toURI())
                        .toString(),
                Suites.class.getName()));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    }

    private static String suites() throws Exception {
        return String.join(
                ",",
                Arrays.asList(SSLContext.getDefault().getDefaultSSLParameters().getCipherSuites()));
    }

    /** Says what its JVM takes. */
    static final class Suites {
        public static void main(String[] arguments) throws Exception {
            System.out.println(suites());
        }
    }
}
