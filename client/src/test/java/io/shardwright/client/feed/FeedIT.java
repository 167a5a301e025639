package io.shardwright.client.feed;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.RouterIdentity;
import io.shardwright.client.Shardwright;
import io.shardwright.client.ShardwrightBuilder;
import io.shardwright.client.errors.NoRoutingTableException;
import io.shardwright.client.errors.StaleRouteException;
import io.shardwright.client.load.LoadMeter;
import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.table.Acknowledged;
import io.shardwright.client.table.Contact;
import io.shardwright.client.table.Flights;
import io.shardwright.client.table.RouteTable;
import io.shardwright.client.table.TableIntake;
import io.shardwright.client.table.Tables;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.Role;
import io.shardwright.routing.TableDigest;
import io.shardwright.routing.TableOrder;
import io.shardwright.servers.CertificateAuthority;
import io.shardwright.servers.Eventually;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The line to the operator, over real TLS. */
class FeedIT {
    @TempDir
    private Path directory;

    private FakeOperator operator;
    private Path token;
    private Path ca;

    @BeforeEach
    void startOperator() throws IOException, GeneralSecurityException {
        operator = new FakeOperator();
        token = Files.writeString(directory.resolve("token"), "first-token\n");
        ca = Files.writeString(directory.resolve("ca.crt"), FakeOperator.AUTHORITY.certificatePem());
    }

    @AfterEach
    void stopOperator() {
        operator.close();
    }

    private ShardwrightBuilder router() {
        return Shardwright.builder("orders")
                .namespace("shop")
                .role(Role.WEB)
                .identity(new RouterIdentity("uid-1", "orders-web-1", "p0"))
                .feed(operator.uri())
                .tokenFile(token)
                .caFile(ca)
                .lastKnown(directory.resolve("last-known"))
                .pools(target -> {
                    throw new AssertionError("no test here opens a connection");
                });
    }

    private void until(String what, BooleanSupplier condition) {
        Eventually.until(what, Duration.ofSeconds(30), condition, () -> "acks " + operator.acks);
    }

    private boolean hasAck(long revision) {
        return operator.acks.stream().anyMatch(ack -> ack.appliedRevision() == revision && ack.nack() == null);
    }

    @Test
    void aTableOfTheFeedIsInForceWhenTheRouterHasStartedAndIsAcknowledged() throws IOException {
        operator.publish("1/5", Tables.document(5));
        try (Shardwright sw = router().build()) {
            assertThat(sw.tableOrder()).contains(new TableOrder(1, 5, 5));
            assertThat(sw.explainKey(42).route().shard()).isEqualTo("ds-0");
            until("acknowledgement of 5", () -> hasAck(5));
        }
        Acknowledgement ack = operator.acks.get(operator.acks.size() - 1);
        assertThat(ack.instance()).isEqualTo("uid-1");
        assertThat(ack.pod()).isEqualTo("orders-web-1");
        assertThat(ack.role()).isEqualTo(Role.WEB);
        assertThat(ack.digest()).isEqualTo(TableDigest.of(Tables.document(5)));
        assertThat(ack.inFlightOldest()).isEqualTo(5);
        assertThat(operator.tokens).contains("Bearer first-token");
    }

    @Test
    void aCutStreamIsOpenedAgainWithTheLastEventAndTheTokenAsItIsThen() throws IOException {
        operator.publish("1/5", Tables.document(5));
        try (Shardwright sw = router().build()) {
            Files.writeString(token, "second-token");
            operator.cutStream();
            operator.publish("1/6", Tables.document(6));
            until("revision 6", () -> sw.tableOrder().get().revision() == 6);
        }
        assertThat(operator.lastEventIds).startsWith("null", "1/5");
        assertThat(operator.tokens).startsWith("Bearer first-token", "Bearer second-token");
    }

    @Test
    void aBadTableIsAnsweredWithANackAndTheNextGoodOneIsTaken() throws IOException {
        operator.publish("1/5", Tables.document(5));
        try (Shardwright sw = router().build()) {
            operator.publish("1/6", Tables.document(6).replace("\"ds-0*8\"", "\"ds-9*8\""));
            until(
                    "a NACK",
                    () -> operator.acks.stream()
                            .anyMatch(ack ->
                                    ack.nack() != null && ack.nack().contains("ds-9") && ack.appliedRevision() == 5));
            operator.publish("1/7", Tables.document(7));
            until("acknowledgement of 7", () -> hasAck(7));
            assertThat(sw.tableOrder().get().revision()).isEqualTo(7);
        }
    }

    @Test
    void theLastKnownTableServesWhileNobodyAnswers() throws IOException {
        operator.publish("1/5", Tables.document(5));
        router().build().close();
        operator.close();
        try (Shardwright sw = router().build()) {
            assertThat(sw.tableOrder()).contains(new TableOrder(1, 5, 5));
        }
    }

    @Test
    void withoutAnyTableWorkIsRefused() throws IOException {
        operator.close();
        try (Shardwright sw = router().build()) {
            assertThatThrownBy(() -> sw.key(42)).isInstanceOf(NoRoutingTableException.class);
        }
    }

    @Test
    void anOperatorWithAnotherAuthorityIsNotTrusted() throws IOException {
        Files.writeString(ca, CertificateAuthority.create("somebody else").certificatePem());
        operator.publish("1/5", Tables.document(5));
        try (Shardwright sw = router().build()) {
            assertThat(sw.tableOrder()).isEmpty();
        }
        assertThat(operator.tokens).as("the token was not sent").isEmpty();
    }

    @Test
    void plainHttpIsRefused() {
        assertThatThrownBy(() -> router().feed(URI.create("http://localhost:1")).build())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("https");
    }

    @Test
    void aHundredTablesCostAtMostTenAcknowledgementsASecond() throws IOException {
        operator.publish("1/1", Tables.document(1));
        try (Shardwright sw = router().build()) {
            assertThat(sw.tableOrder()).isPresent();
            long start = System.nanoTime();
            for (long revision = 2; revision <= 100; revision++) {
                operator.publish("1/" + revision, Tables.document(revision));
            }
            until("acknowledgement of 100", () -> hasAck(100));
            long tenths = Duration.ofNanos(System.nanoTime() - start).toMillis() / 100;
            assertThat((long) operator.acks.size()).isLessThanOrEqualTo(tenths + 3);
        }
    }

    @Test
    void aFeedThatDoesNotBringWhatTheLeaderNamesIsOpenedAgain() throws IOException {
        operator.publish("1/5", Tables.document(5));
        operator.newest = new TableOrder(1, 9, 9);
        try (Shardwright sw = router().build()) {
            until("a second stream", () -> operator.lastEventIds.size() >= 2);
            assertThat(sw.tableOrder().get().revision()).isEqualTo(5);
        }
    }

    @Test
    void aRefusalOfTheFenceAsksForANewerTableAtOnce() throws IOException {
        operator.publish("1/5", Tables.document(5));
        try (Shardwright sw =
                router().pools(target -> refusing(DataSource.class)).build()) {
            until("acknowledgement of 5", () -> hasAck(5));
            operator.newest = new TableOrder(1, 9, 9); // and the feed has not brought it

            assertThatThrownBy(() -> sw.inTransaction(
                            42, connection -> connection.createStatement().execute("DELETE FROM orders")))
                    .isInstanceOf(StaleRouteException.class);

            // The next periodic acknowledgement would be due 9 s after the last one; the work was tried for 5 s.
            assertThat(operator.lastEventIds).as("streams").hasSizeGreaterThanOrEqualTo(2);
        }
    }

    /** A shard that never owned anything. */
    private static <T> T refusing(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, given) -> {
            if (method.getName().equals("execute")) {
                throw new SQLException("stale route", "SH409");
            }
            Class<?> wanted = method.getReturnType();
            if (wanted.isInterface()) {
                return refusing(wanted);
            }
            return wanted == boolean.class ? (Object) false : null;
        }));
    }

    @Test
    void anErrorOfTheRouterItselfDoesNotEndTheFeed() throws IOException, GeneralSecurityException {
        RouteTable table = new RouteTable();
        AtomicInteger changes = new AtomicInteger();
        TableIntake intake = new TableIntake("orders", "app", table, none(), null, () -> {
            if (changes.incrementAndGet() == 1) {
                throw new IllegalStateException("a bug");
            }
        });
        OperatorLine line = new OperatorLine(List.of(operator.uri()), "shop", "orders", token, ca);
        try (FeedReader feed = new FeedReader(line, intake, new Random(7), FeedReader.SILENCE)) {
            feed.start();
            operator.publish("1/5", Tables.document(5));
            until("the error", () -> changes.get() == 1);
            operator.cutStream(); // the server's side of the stream that was given up
            operator.publish("1/6", Tables.document(6));
            operator.publish("1/6", Tables.document(6)); // should the old stream have taken the first one
            until("the next table", () -> table.require().order().revision() == 6);
        }
    }

    @Test
    void anErrorOfTheRouterItselfDoesNotEndTheAcknowledgements() throws IOException, GeneralSecurityException {
        RouteTable table = new RouteTable();
        TableIntake intake = new TableIntake("orders", "app", table, none(), null, () -> {});
        intake.offer(Tables.document(5), "test");
        Acknowledged state = new Acknowledged(
                "uid-1",
                "pod",
                "p0",
                Role.WEB,
                table,
                new Flights(table::require, () -> {}),
                intake,
                new LoadMeter(System::nanoTime));
        AtomicInteger asked = new AtomicInteger();
        OperatorLine line = new OperatorLine(List.of(operator.uri()), "shop", "orders", token, ca);
        FeedReader feed = new FeedReader(line, intake, new Random(7), FeedReader.SILENCE);
        Supplier<Acknowledgement> failsOnce = () -> {
            if (asked.incrementAndGet() == 1) {
                throw new IllegalStateException("a bug");
            }
            return state.get();
        };
        try (AckSender acks =
                new AckSender(line, failsOnce, table, new Contact(System::nanoTime), feed, new Random(7))) {
            acks.start();
            until("acknowledgement of 5", () -> hasAck(5));
        }
        assertThat(asked.get()).isGreaterThan(1);
    }

    private static PoolSet none() {
        return new PoolSet(target -> {
            throw new AssertionError("no test here opens a connection");
        });
    }

    @Test
    void aSilentStreamIsGivenUp() throws IOException, GeneralSecurityException {
        RouteTable table = new RouteTable();
        TableIntake intake = new TableIntake("orders", "app", table, none(), null, () -> {});
        OperatorLine line = new OperatorLine(List.of(operator.uri()), "shop", "orders", token, ca);
        try (FeedReader feed = new FeedReader(line, intake, new Random(7), Duration.ofMillis(500))) {
            feed.start();
            operator.publish("1/5", Tables.document(5));
            until("the first table", () -> table.current().isPresent());
            until("a second stream", () -> {
                feed.closeWhenSilent();
                return operator.lastEventIds.size() >= 2;
            });
        }
    }
}
