package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardSight.Problem.Kind;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.PostgresSessions.As;
import io.shardwright.dataplane.postgres.PostgresShards;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.StopMode;
import io.shardwright.servers.PostgresServer.Version;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Only a primary answers for ownership: a standby that lags would still show an owner. */
class FenceStandbyIT {
    private static PostgresServer server;
    private static ShopDatabase shop;

    /** A server that is told to stand by after a clean stop is in recovery and serves reads. */
    @BeforeAll
    static void startStandby() throws IOException {
        server = PostgresServer.builder().name("standby").start();
        shop = ShopDatabase.fenced(server, "shop");
        server.stop(StopMode.FAST);
        Files.createFile(server.log().resolveSibling("data").resolve("standby.signal"));
        server.start();
    }

    @AfterAll
    static void stopStandby() {
        server.close();
    }

    @Test
    void aStandbyThatShowsAnOwnerRefusesToAnswer() throws SQLException {
        try (Other app = new Other(shop, shop.app())) {
            assertThat(shop.server().query("shop", "SELECT state FROM shardwright.fence WHERE scope = 'b:17'"))
                    .containsExactly(List.of("OWNED"));

            Refusal.of(() -> app.run("SELECT shardwright.enter(17, '%d', 1)".formatted(keyIn(17))))
                    .isStaleRoute(17, "ABSENT");
        }
    }

    @Test
    void aShardOfStandbysHasNoPrimary() {
        PostgresShards shards = new PostgresShards(new PostgresSessions());

        assertThat(shards.look(shop.access(), ShopDatabase.SCHEMA).problems())
                .extracting(Problem::kind)
                .containsExactly(Kind.NO_PRIMARY);
        assertThatThrownBy(() -> shards.installFence(shop.access(), ShopDatabase.SCHEMA))
                .isInstanceOf(ShardException.class)
                .hasMessageContaining("promote one");
    }

    @Test
    void thePrimaryIsFoundAmongStandbys() throws ShardException {
        ShopDatabase primary = ShopDatabase.create(SharedServers.of(Version.NEWEST), "shop");
        ShardAccess both = new ShardAccess(
                "ds-0",
                List.of(
                        shop.access().instances().getFirst(),
                        primary.access().instances().getFirst()),
                "shop",
                primary.access().operator(),
                primary.access().mover(),
                primary.access().tls());

        assertThat(new PostgresSessions().primaryOf(both, As.OPERATOR))
                .isEqualTo(primary.access().instances().getFirst());
    }
}
