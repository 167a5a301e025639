package io.shardwright.client.pools;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/** Pools by HikariCP. Kept apart, so that the library works without HikariCP on the class path. */
public final class HikariPools {
    private HikariPools() {}

    /**
     * @param customise changes the configuration of each pool last (size, timeouts, TLS properties of the driver)
     */
    public static Pools postgres(String database, String username, String password, Consumer<HikariConfig> customise) {
        return target -> {
            HikariConfig config = new HikariConfig();
            config.setPoolName("shardwright-" + target.shard());
            config.setJdbcUrl("jdbc:postgresql://" + target.host() + ":" + target.port() + "/"
                    + URLEncoder.encode(database, StandardCharsets.UTF_8));
            config.setUsername(username);
            config.setPassword(password);
            config.addDataSourceProperty("ApplicationName", target.applicationName());
            config.addDataSourceProperty("connectTimeout", "5");
            config.addDataSourceProperty("tcpKeepAlive", "true");
            // A shard that is down must not stop the process from starting with the others.
            config.setInitializationFailTimeout(-1);
            config.setConnectionTimeout(5_000);
            customise.accept(config);
            return new HikariDataSource(config);
        };
    }
}
