package io.shardwright.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.client.feed.FakeOperator;
import io.shardwright.client.jdbc.ShardScope;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.KeyLoad;
import io.shardwright.routing.LoadReport;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.ShardLoad;
import io.shardwright.servers.Eventually;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From a statement of the application to the operator: what was asked of a shard, with the key that was asked for most. */
class HotKeyIT {
    private static final long HOT = TwoShards.tenant(3, 0);

    private static TwoShards shards;

    private final AtomicLong sliceNanos = new AtomicLong();
    private long revision;
    private FakeOperator operator;
    private Shardwright sw;

    @BeforeAll
    static void startShards() {
        shards = new TwoShards();
    }

    @AfterAll
    static void stopShards() {
        shards.close();
    }

    @BeforeEach
    void startRouter(@TempDir Path directory) throws IOException, GeneralSecurityException {
        shards.reset();
        operator = new FakeOperator();
        publishNext();
        sw = Shardwright.builder("orders")
                .namespace("shop")
                .role(Role.WEB)
                .identity(new RouterIdentity("uid-1", "orders-web-1", "p0"))
                .feed(operator.uri())
                .caFile(Files.writeString(directory.resolve("ca.crt"), FakeOperator.AUTHORITY.certificatePem()))
                .pools(shards.pools(shards.server().port()))
                .sliceClock(sliceNanos::get)
                .build();
    }

    @AfterEach
    void stopRouter() {
        sw.close();
        operator.close();
    }

    private void publishNext() {
        revision++;
        operator.publish("1/" + revision, RoutingTableCodec.encode(shards.table(revision, Map.of())));
    }

    /** Ten seconds pass by the clock of slices, and there is something to acknowledge. */
    private Acknowledgement ackOfTheNextSlice(long slice) {
        sliceNanos.addAndGet(Duration.ofSeconds(10).toNanos());
        publishNext();
        return ack("slice " + slice, ack -> ack.load() != null && ack.load().slice() == slice);
    }

    private Acknowledgement ack(String what, Predicate<Acknowledgement> wanted) {
        Eventually.until(
                what,
                Duration.ofSeconds(30),
                () -> found(wanted).isPresent(),
                () -> "acknowledgements: " + operator.acks);
        return found(wanted).orElseThrow();
    }

    private Optional<Acknowledgement> found(Predicate<Acknowledgement> wanted) {
        return operator.acks.stream().filter(wanted).findFirst();
    }

    private void write(long tenant) throws SQLException {
        try (ShardScope scope = sw.key(tenant);
                Connection connection = sw.dataSource().getConnection();
                PreparedStatement insert =
                        connection.prepareStatement("INSERT INTO orders (tenant_id, v) VALUES (?, 'x')")) {
            insert.setLong(1, Long.parseLong(scope.key().text()));
            insert.executeUpdate();
        }
    }

    private void read(long tenant) throws SQLException {
        sw.inTransaction(tenant, connection -> {
            try (PreparedStatement select = connection.prepareStatement("SELECT v FROM orders WHERE tenant_id = ?")) {
                select.setLong(1, tenant);
                try (ResultSet rows = select.executeQuery()) {
                    return rows.next();
                }
            }
        });
    }

    /** One tenant is written forty times; twenty others are written once and read once. */
    private void load() throws SQLException {
        for (int n = 0; n < 40; n++) {
            write(HOT);
        }
        for (int n = 1; n <= 20; n++) {
            write(TwoShards.tenant(n % 8, n));
            read(TwoShards.tenant(n % 8, n));
        }
    }

    @Test
    void aTenantThatIsWrittenHardIsInTheAcknowledgement() throws SQLException {
        load();
        LoadReport first = ackOfTheNextSlice(1).load();

        assertThat(first.millis()).isEqualTo(10_000);
        assertThat(first.shards()).extracting(ShardLoad::shard).containsExactly("ds-0");
        ShardLoad asked = first.shards().get(0);
        assertThat(asked.requests()).isEqualTo(80);
        assertThat(asked.hottest()).hasSize(21).first().isEqualTo(new KeyLoad(Long.toString(HOT), 40, 40));
        assertThat(asked.hottest().get(1).atLeast()).isEqualTo(2);

        load();
        ShardLoad next = ackOfTheNextSlice(2).load().shards().get(0);

        assertThat(next.requests()).isEqualTo(80);
        assertThat(next.neighbours().total())
                .as("all but those of the hot tenant")
                .isEqualTo(40);
        assertThat(next.neighbours().quantile(0.95)).isPresent();
    }

    @Test
    void anOperatorThatTakesNoLoadHearsTheAcknowledgementAllTheSame() throws SQLException {
        operator.refusesLoad = true;
        write(HOT);

        Acknowledgement refused = ackOfTheNextSlice(1);

        Acknowledgement heard =
                ack("one without a load", ack -> ack.sequence() > refused.sequence() && ack.load() == null);
        assertThat(heard.appliedRevision()).isEqualTo(2);
    }
}
