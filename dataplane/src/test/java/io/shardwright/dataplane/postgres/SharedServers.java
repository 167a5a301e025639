package io.shardwright.dataplane.postgres;

import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import java.util.EnumMap;
import java.util.Map;

/** One server of each supported end of the range for the whole test run; started when first asked for. */
public final class SharedServers {
    private static final Map<Version, PostgresServer> SERVERS = new EnumMap<>(Version.class);

    private SharedServers() {}

    public static synchronized PostgresServer of(Version version) {
        return SERVERS.computeIfAbsent(version, SharedServers::start);
    }

    private static PostgresServer start(Version version) {
        PostgresServer server = PostgresServer.builder()
                .version(version)
                .name("shared-" + version.name().toLowerCase(java.util.Locale.ROOT))
                .setting("max_prepared_transactions", "8")
                .setting("deadlock_timeout", "200ms")
                // moves that a test leaves in the middle keep their slots for as long as the server lives
                .setting("max_replication_slots", "200")
                .setting("max_wal_senders", "100")
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        return server;
    }
}
