package io.shardwright.dataplane;

import java.util.List;
import java.util.OptionalLong;

/**
 * How one shard is reached: all its instances (the primary is discovered, never declared), and the logins.
 *
 * @param shard name in the ShardCluster
 * @param operator installs the fence, switches
 * @param mover replication and data
 * @param capacityBytes what the shard's database may grow to, as declared; empty = nobody says, so nobody checks
 */
public record ShardAccess(
        String shard,
        List<Endpoint> instances,
        String database,
        Login operator,
        Login mover,
        Tls tls,
        OptionalLong capacityBytes) {
    public ShardAccess {
        instances = List.copyOf(instances);
    }

    public ShardAccess(String shard, List<Endpoint> instances, String database, Login operator, Login mover, Tls tls) {
        this(shard, instances, database, operator, mover, tls, OptionalLong.empty());
    }

    public ShardAccess capacity(OptionalLong bytes) {
        return new ShardAccess(shard, instances, database, operator, mover, tls, bytes);
    }

    public record Endpoint(String name, String host, int port) {
        @Override
        public String toString() {
            return host + ":" + port;
        }
    }

    /** A login; its text form never shows the password. */
    public record Login(String username, String password) {
        @Override
        public String toString() {
            return username;
        }
    }

    /** @param caPem certificates that are trusted, PEM; null with DISABLE and REQUIRE */
    public record Tls(Mode mode, String caPem) {
        public enum Mode {
            DISABLE,
            REQUIRE,
            VERIFY_CA,
            VERIFY_FULL
        }
    }
}
