package io.shardwright.operator;

import io.smallrye.config.ConfigMapping;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** What can be set; defaults and explanations stand in {@code application.properties}. */
@ConfigMapping(prefix = "shardwright")
public interface OperatorConfig {
    /** Namespace of the Lease: the operator's own. */
    String namespace();

    /** Name of this replica in the Lease; the process adds something of its own, so that no two are ever the same. */
    Optional<String> identity();

    /** SIGTERM that has not ended the process by then is finished by halting it. */
    Duration shutdownTimeout();

    Lease lease();

    Feed feed();

    Tls tls();

    interface Lease {
        String name();

        /** A follower takes over when the Lease has not changed for so long. */
        Duration duration();

        /** A leader that could not renew for so long ends its process; less than {@link #duration()}. */
        Duration renewDeadline();

        /** Pause between tries. */
        Duration retryPeriod();
    }

    interface Feed {
        /** Audience that a router's token must be made for. */
        String audience();

        /** How often a stream says that it is alive. */
        Duration heartbeat();

        /** How long a positive answer about a token is used without asking again. */
        Duration admissionTtl();

        /** Tokens that are remembered. */
        int admissionsKept();
    }

    interface Tls {
        Path cert();

        Path key();
    }
}
