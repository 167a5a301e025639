package io.shardwright.crds.shardcluster;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.annotation.JsonValue;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** How the databases are reached. Secrets are read by name, in the namespace of the ShardCluster only. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@JsonIgnoreProperties(ignoreUnknown = true)
@ValidationRule(
        value = "self.tls.mode in ['Disable', 'Require'] || has(self.tls.caSecretRef)",
        fieldPath = ".tls",
        message =
                "tls mode VerifyCA or VerifyFull needs caSecretRef: name a Secret with ca.crt, or choose another mode")
public record Access(
        @JsonPropertyDescription("Login that installs the fence and switches.") @Required
        Login operator,

        @JsonPropertyDescription("Login for replication and data; default: the operator's login.")
        Login mover,

        @JsonPropertyDescription("Encryption of the connections.") @Default("{}")
        Tls tls) {
    public Access {
        tls = tls == null ? new Tls(Tls.Mode.VERIFY_FULL, null) : tls;
    }

    /** The login that movers use: their own, or the operator's. */
    public Login moverLogin() {
        return mover == null ? operator : mover;
    }

    /** A login kept in a Secret. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Login(
            @JsonPropertyDescription("Secret with the keys username and password.") @Required
            SecretRef secretRef) {}

    /** Names a Secret of the same namespace. */
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record SecretRef(
            @JsonPropertyDescription("Name of the Secret.")
            @Required
            @Size(min = 1, max = 253)
            @Pattern("^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$")
            String name) {}

    /** How connections are encrypted and servers are checked. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @JsonIgnoreProperties(ignoreUnknown = true)
    public record Tls(
            @JsonPropertyDescription(
                    "Disable, Require (encrypt only), VerifyCA, or VerifyFull (certificate and host name).")
            @Default("VerifyFull")
            Mode mode,

            @JsonPropertyDescription("Secret with the key ca.crt: the certificates that are trusted, PEM.")
            SecretRef caSecretRef) {
        public Tls {
            mode = mode == null ? Mode.VERIFY_FULL : mode;
        }

        /** How much of the server is checked. */
        public enum Mode {
            DISABLE("Disable"),
            REQUIRE("Require"),
            VERIFY_CA("VerifyCA"),
            VERIFY_FULL("VerifyFull");

            private final String wire;

            Mode(String wire) {
                this.wire = wire;
            }

            @JsonValue
            public String wire() {
                return wire;
            }
        }
    }
}
