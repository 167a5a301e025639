package io.shardwright.client.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.pools.ShardTarget;
import io.shardwright.routing.Handover;
import io.shardwright.routing.Role;
import io.shardwright.routing.Route;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.ShardKey;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** T1, T2 and the handover of T5. */
class TableIntakeTest {
    @TempDir
    private Path directory;

    private final RouteTable table = new RouteTable();
    private final AtomicInteger changes = new AtomicInteger();
    private final AtomicBoolean reachable = new AtomicBoolean(true);
    private final List<String> opened = new CopyOnWriteArrayList<>();
    private final AtomicReference<SQLException> answer = new AtomicReference<>();
    private final PoolSet pools = new PoolSet(this::source);

    private TableIntake intake() {
        return new TableIntake("orders", "app", table, pools, null, changes::incrementAndGet);
    }

    private DataSource source(ShardTarget target) {
        return (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    if (!reachable.get()) {
                        throw new SQLException("connection refused", "08001");
                    }
                    opened.add(target.shard());
                    return proxy(Connection.class);
                });
    }

    /** A connection that leads to a statement whose execution is answered as the test wants it. */
    private Object proxy(Class<?> type) {
        return Proxy.newProxyInstance(getClass().getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            if (method.getName().equals("execute") && answer.get() != null) {
                throw answer.get();
            }
            return switch (method.getName()) {
                case "prepareStatement" -> proxy(PreparedStatement.class);
                case "execute" -> true;
                default -> null;
            };
        });
    }

    private long revision() {
        return table.require().order().revision();
    }

    @Test
    void theHighestOrderOfAnySourceWins() {
        TableIntake intake = intake();
        intake.offer(Tables.document(7), "mounted file");
        intake.offer(Tables.document(5), "feed");
        assertThat(revision()).isEqualTo(7);
        intake.offer(Tables.document(2, 1, List.of()), "feed");
        assertThat(revision()).as("a new incarnation").isEqualTo(1);
        assertThat(intake.nack()).as("an older document is no fault").isEmpty();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        not JSON                   | {                | no routing table
        another cluster            | "cluster":"users"| cluster users
        a bucket without owner     | "ds-0*7"         | 7 of 8
        a shard that is not listed | "ds-9*8"         | ds-9
        a blank shard              | " *8"            | SHARDS
        a bucket count that changed| "buckets":9      | of 9
        a lower writer epoch       | "writerEpoch":0  | T2
        """)
    void aBrokenTableIsRefusedWholeAndItsReasonAcknowledged(String what, String broken, String reason) {
        TableIntake intake = intake();
        intake.offer(Tables.document(5), "feed");

        intake.offer(breakIt(Tables.document(6), broken), "feed");

        assertThat(revision()).as(what).isEqualTo(5);
        assertThat(intake.nack().orElse("")).as(what).contains(reason);
        intake.offer(Tables.document(7), "feed");
        assertThat(revision()).isEqualTo(7);
        assertThat(intake.nack()).isEmpty();
    }

    private static String breakIt(String document, String broken) {
        if (broken.equals("{")) {
            return broken;
        }
        if (broken.contains("*")) {
            return document.replace("\"ds-0*8\"", broken);
        }
        String name = broken.substring(0, broken.indexOf(':') + 1);
        return document.replaceFirst(name + "[^,}]*", broken);
    }

    @Test
    void twoContentsOfOneRevisionAreRefused() {
        TableIntake intake = intake();
        intake.offer(Tables.document(5), "feed");
        intake.offer(Tables.document(5).replace("\"1*8\"", "\"2*8\""), "feed");
        assertThat(intake.nack().orElse("")).contains("T3");
    }

    @Test
    void connectionsToTheNewOwnerAreOpenBeforeAnAnnouncementIsInForce() {
        TableIntake intake = intake();
        intake.offer(Tables.document(5), "feed");
        assertThat(opened).isEmpty();
        intake.offer(Tables.document(1, 6, List.of(Handover.ofBuckets(Map.of(3, 2L), "ds-1"))), "feed");
        assertThat(opened).containsExactly("ds-1", "ds-1");
        assertThat(intake.nack()).isEmpty();
        intake.offer(
                Tables.document(
                        1, 7, List.of(Handover.ofBuckets(Map.of(3, 2L), "ds-1").visibleTo(Role.WORKER))),
                "feed");
        assertThat(opened).as("the same handover").hasSize(2);
        intake.offer(Tables.document(1, 8, List.of(Handover.ofBuckets(Map.of(4, 2L), "ds-1"))), "feed");
        assertThat(opened).as("another one, perhaps hours later").hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({
        "SH409, true, a target that still imports refuses",
        "57014, true, a mover holds the bucket",
        "42883, false, the fence is not installed there",
        "42501, false, this login may not enter there"
    })
    void aTargetIsReachedWhenItsFenceAnswersThisRouter(String state, boolean reached, String why) {
        TableIntake intake = intake();
        intake.offer(Tables.document(5), "feed");
        answer.set(new SQLException(why, state));
        intake.offer(Tables.document(1, 6, List.of(Handover.ofBuckets(Map.of(3, 2L), "ds-1"))), "feed");
        assertThat(intake.nack().isEmpty()).as(why).isEqualTo(reached);
    }

    @Test
    void anUnreachableTargetIsSaidUntilItIsReached() {
        TableIntake intake = intake();
        intake.offer(Tables.document(5), "feed");
        reachable.set(false);
        intake.offer(Tables.document(1, 6, List.of(Handover.ofBuckets(Map.of(3, 2L), "ds-1"))), "feed");
        assertThat(revision()).as("the table is good").isEqualTo(6);
        assertThat(intake.nack().orElse("")).startsWith("TargetUnreachable: ds-1 at 127.0.0.1:2");
        int before = changes.get();
        intake.reachAgain();
        assertThat(intake.nack()).isPresent();
        reachable.set(true);

        intake.reachAgain();

        assertThat(intake.nack()).isEmpty();
        assertThat(changes.get()).isEqualTo(before + 1);
    }

    @Test
    void aHandoverIsFollowedByTheRolesThatMaySeeIt() {
        TableIntake intake = intake();
        Handover toWorkers = Handover.ofBuckets(Map.of(3, 2L), "ds-1").visibleTo(Role.WORKER);
        intake.offer(Tables.document(1, 6, List.of(toWorkers)), "feed");
        RouteView view = table.require();
        ShardKey key = keyOf(view.table(), 3);
        assertThat(view.route(key, Role.WORKER).shard()).isEqualTo("ds-1");
        assertThat(view.route(key, Role.WEB).shard()).isEqualTo("ds-0");
    }

    @Test
    void aFenceRowOfAHigherEpochOverlaysTheTableUntilTheTableHasCaughtUp() {
        TableIntake intake = intake();
        intake.offer(Tables.document(5), "feed");
        ShardKey key = keyOf(table.require().table(), 3);
        table.overlay(Map.of(3, new RouteView.Owner("ds-1", 2, false), 4, new RouteView.Owner("ds-1", 1, true)));
        assertThat(table.require().route(key, Role.WEB).rule()).isEqualTo(Route.Rule.FENCE);
        assertThat(table.require().route(key, Role.WEB).shard()).isEqualTo("ds-1");
        assertThat(table.require().overlay()).as("an epoch that is not higher").doesNotContainKey(4);

        table.overlay(Map.of(3, new RouteView.Owner("ds-9", 7, false)));
        assertThat(table.require().route(key, Role.WEB).shard())
                .as("an unknown shard")
                .isEqualTo("ds-1");

        intake.offer(Tables.document(6).replace("\"1*8\"", "\"2*8\""), "feed");
        assertThat(table.require().overlay()).isEmpty();
        assertThat(table.require().route(key, Role.WEB).shard()).isEqualTo("ds-0");
    }

    private static ShardKey keyOf(RoutingTable table, int bucket) {
        long id = 0;
        while (table.bucketing().bucketOf(ShardKey.of(table.keyType(), id)) != bucket) {
            id++;
        }
        return ShardKey.of(table.keyType(), id);
    }

    @Test
    void theLastGoodTableSurvivesOnDisk() {
        LastKnownFile file = new LastKnownFile(directory.resolve("table"));
        try (LastKnownWriter writer = new LastKnownWriter(file)) {
            TableIntake intake = new TableIntake("orders", "app", table, pools, writer, () -> {});
            for (long revision = 1; revision <= 50; revision++) {
                intake.offer(Tables.document(revision), "feed");
            }
            intake.offer("{", "feed");
        }
        assertThat(file.read()).contains(Tables.document(50));
    }

    @Test
    void noAcknowledgementWaitsForTheDisk() {
        Path path = directory.resolve("table");
        List<Boolean> onDisk = new ArrayList<>();
        try (LastKnownWriter writer = new LastKnownWriter(new LastKnownFile(path))) {
            new TableIntake("orders", "app", table, pools, writer, () -> onDisk.add(Files.exists(path)))
                    .offer(Tables.document(5), "feed");
            writer.close();
            writer.keep(Tables.document(6)); // dropped, and no error
        }
        assertThat(onDisk).as("when the acknowledgement was due").containsExactly(false);
        assertThat(new LastKnownFile(path).read()).contains(Tables.document(5));
    }

    @Test
    void aDamagedFileIsAsGoodAsNone() throws IOException {
        Path path = directory.resolve("table");
        LastKnownFile file = new LastKnownFile(path);
        assertThat(file.read()).isEmpty();
        file.write(Tables.document(5));
        Files.writeString(path, Files.readString(path).replace("ds-0", "ds-1"));
        assertThat(file.read()).isEmpty();
        Files.writeString(path, "");
        assertThat(file.read()).isEmpty();
    }

    @Test
    void aMountedFileIsReadAgainWhenItIsAnotherOne() throws IOException {
        Path link = directory.resolve("table.json");
        MountedFile mounted = new MountedFile(link);
        assertThat(mounted.poll()).isEmpty();
        Path first = Files.writeString(directory.resolve("first"), Tables.document(5) + "\n");
        Files.createSymbolicLink(link, first);
        assertThat(mounted.poll()).contains(Tables.document(5));
        assertThat(mounted.poll()).isEmpty();
        Path second = Files.writeString(directory.resolve("second"), Tables.document(6));
        Files.delete(link);
        Files.createSymbolicLink(link, second);
        assertThat(mounted.poll()).contains(Tables.document(6));
    }
}
