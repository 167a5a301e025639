package io.shardwright.controllers.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.world.ApiServer;
import io.shardwright.controllers.world.Shop;
import io.shardwright.planning.table.TableEdits;
import io.shardwright.planning.table.Witness;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.Handover;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableInvariants;
import io.shardwright.routing.TableOrder;
import io.shardwright.servers.Eventually;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** The only writer of tables, against a real API server with the shipped rights and rules. */
class TablePublisherIT {
    private static KubernetesClient client;

    private final AtomicInteger ended = new AtomicInteger();
    private Shop shop;
    private ResourceID orders;
    private TablePublisher publisher;

    @BeforeAll
    static void connect() {
        client = ApiServer.get().operatorClient();
    }

    @AfterAll
    static void disconnect() {
        client.close();
    }

    @AfterEach
    void endWatches() {
        publisher.close();
    }

    @BeforeEach
    void aPublisher(TestInfo test) {
        shop = new Shop(
                ApiServer.get(), "tables-" + Math.abs(test.getDisplayName().hashCode()));
        orders = new ResourceID("orders", shop.namespace());
        publisher = newProcess();
    }

    private TablePublisher newProcess() {
        return new TablePublisher(client, ended::incrementAndGet, System::nanoTime);
    }

    private static RoutingTable first() {
        return new RoutingTable(
                new TableOrder(1, 1, 0),
                1,
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MD5, 4),
                RunLengthMap.parse("ds-0*2,ds-1*2", 4, owner -> owner),
                RunLengthMap.filled(4, 1L),
                new TreeMap<>(),
                List.of(),
                new TreeMap<>(Map.of(
                        "ds-0", new ShardEntry(ShardRole.GENERAL, "ds-0", 5432),
                        "ds-1", new ShardEntry(ShardRole.GENERAL, "ds-1", 5432))));
    }

    private static UnaryOperator<RoutingTable> announce(int bucket) {
        return table -> TableEdits.announce(table, List.of(new TreeMap<>(Map.of(Scope.bucket(bucket), 2L))), "ds-1");
    }

    private long writesOfTables() {
        return ApiServer.get().plane().auditLog().entries().stream()
                .filter(entry -> shop.namespace().equals(entry.namespace()))
                .filter(entry -> entry.resource().equals("routingtables"))
                .filter(entry -> List.of("create", "update", "patch").contains(entry.verb()))
                .filter(entry -> entry.code() < 300)
                .count();
    }

    @Test
    void publishingTheSameTwiceWritesOnceAndMirrorsTheDocument() {
        publisher.publish(orders, stored -> stored == null ? first() : stored);
        Publication.Stored once = publisher.publish(orders, announce(0));
        Publication.Stored twice = publisher.publish(orders, announce(0));

        assertThat(once.changed()).isTrue();
        assertThat(twice.changed()).isFalse();
        assertThat(twice.table().table().order()).isEqualTo(new TableOrder(1, 2, 2));
        assertThat(writesOfTables()).isEqualTo(2);
        assertThat(client.configMaps()
                        .inNamespace(shop.namespace())
                        .withName("orders-routing")
                        .get()
                        .getData())
                .containsEntry("table.json", once.table().document());
        assertThat(publisher.digests(orders, 1, 2)).containsExactly(once.table().digest());
    }

    @Test
    void aCopyThatCannotBeWrittenFailsNoPublicationAndIsTriedAgain() {
        ApiServer.get()
                .admin()
                .resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withName("orders-routing")
                        .withNamespace(shop.namespace())
                        .endMetadata()
                        .withImmutable(true)
                        .build())
                .create();

        Publication.Stored stored = publisher.publish(orders, none -> first());

        assertThat(stored.changed()).isTrue();
        assertThat(publisher.mirrorFault(orders))
                .hasValueSatisfying(fault -> assertThat(fault).contains("orders-routing", "immutable"));
        ApiServer.get()
                .admin()
                .configMaps()
                .inNamespace(shop.namespace())
                .withName("orders-routing")
                .delete();

        publisher.mirrorAgain(orders);

        assertThat(publisher.mirrorFault(orders)).isEmpty();
        assertThat(copy()).isEqualTo(stored.table().document());
    }

    @Test
    void aCopyOfANewerTableStays() {
        publisher.publish(orders, none -> first());
        TablePublisher stalled = publisher;
        Publication.Stored newer = newProcess().publish(orders, announce(0));
        ApiServer.get()
                .admin()
                .configMaps()
                .inNamespace(shop.namespace())
                .withName("orders-routing")
                .edit(copy -> {
                    copy.setData(Map.of("table.json", newer.table().document()));
                    return copy;
                });

        new TableMirror(client).write(orders, stalled.current(orders).orElseThrow());

        assertThat(copy()).isEqualTo(newer.table().document());
    }

    @Test
    void aCopyThatSomebodyDeletesOrChangesComesBackAtOnce() {
        AtomicInteger disturbed = new AtomicInteger();
        publisher.onCopyDisturbed(cluster -> disturbed.incrementAndGet());
        String document = publisher.publish(orders, none -> first()).table().document();

        admin().delete();
        told("the deletion", disturbed, 1);
        publisher.mirrorAgain(orders);
        assertThat(copy()).isEqualTo(document);

        admin().edit(copy -> {
            copy.setData(Map.of("table.json", document.replace("ds-0*2,ds-1*2", "ds-1*4")));
            return copy;
        });
        told("the change", disturbed, 2);
        publisher.mirrorAgain(orders);
        assertThat(copy()).isEqualTo(document);
        assertThat(ApiServer.get().plane().auditLog().forbidden(ApiServer.OPERATOR))
                .isEmpty();
    }

    private static void told(String what, AtomicInteger times, int atLeast) {
        Eventually.until(what + " to be told", Duration.ofSeconds(30), () -> times.get() >= atLeast, times::toString);
    }

    private Resource<ConfigMap> admin() {
        return ApiServer.get()
                .admin()
                .configMaps()
                .inNamespace(shop.namespace())
                .withName("orders-routing");
    }

    private String copy() {
        return client.configMaps()
                .inNamespace(shop.namespace())
                .withName("orders-routing")
                .get()
                .getData()
                .get("table.json");
    }

    @Test
    void decidesAgainWhenSomebodyElseWroteInBetween() {
        publisher.publish(orders, stored -> stored == null ? first() : stored);
        AtomicInteger asked = new AtomicInteger();

        Publication.Stored stored = publisher.publish(orders, table -> {
            if (asked.incrementAndGet() == 1) {
                touch();
            }
            return announce(1).apply(table);
        });

        assertThat(asked).hasValue(2);
        assertThat(stored.table().table().handovers()).hasSize(1);
        assertThat(stored.table().table().order().revision()).isEqualTo(2);
    }

    /** Somebody changes a label: the resourceVersion grows, the content does not. */
    private void touch() {
        ApiServer.get()
                .admin()
                .resources(io.shardwright.crds.routingtable.RoutingTable.class)
                .inNamespace(shop.namespace())
                .withName("orders")
                .edit(table -> {
                    table.getMetadata().getLabels().put("touched", "yes");
                    return table;
                });
    }

    @Test
    void aProcessClaimsTheTableOnceAndThenEndsTheOneBefore() {
        publisher.publish(orders, stored -> stored == null ? first() : stored);
        TablePublisher next = newProcess();

        next.publish(orders, UnaryOperator.identity());
        next.publish(orders, UnaryOperator.identity());

        RoutingTable claimed = next.current(orders).orElseThrow().table();
        assertThat(claimed.writerEpoch()).isEqualTo(2);
        assertThat(claimed.order()).isEqualTo(new TableOrder(1, 1, 2));
        assertThat(ended).hasValue(0);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> publisher.publish(orders, announce(0)))
                .withMessageContaining("the term of this process is over");
        assertThat(ended).hasValue(1);
        assertThat(shop.table().orElseThrow().getSpec().handovers()).isEmpty();
    }

    @Test
    void writesNothingThatBreaksARule() {
        publisher.publish(orders, stored -> stored == null ? first() : stored);

        assertThatExceptionOfType(TableRefusedException.class)
                .isThrownBy(() -> publisher.publish(orders, TablePublisherIT::webBeforeWorkers))
                .withMessageContaining("T9");
        assertThat(writesOfTables()).isEqualTo(1);
    }

    private static RoutingTable webBeforeWorkers(RoutingTable table) {
        Handover early = Handover.ofBuckets(Map.of(0, 2L), "ds-1").visibleTo(Role.WEB);
        return new RoutingTable(
                table.order(),
                table.writerEpoch(),
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                table.bucketMap(),
                table.epochs(),
                table.pins(),
                List.of(early),
                table.shards());
    }

    @Test
    void nothingIsPublishedOnARestoredTableBeforeItIsPublishedAnewAndThatOnceInTenMinutes() {
        publisher.publish(orders, none -> first());
        Runnable backup = shop.backupOfTable();
        RoutingTable newest = publisher.publish(orders, announce(0)).table().table();
        backup.run();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> publisher.publish(orders, announce(1)))
                .withMessageContaining("it is published anew first");
        Witness memory = publisher.witnesses(orders).getFirst();

        Publication anew = publisher.publishAnew(orders, memory, announce(1));
        Publication again = publisher.publishAnew(
                orders, new Witness("web-0 (web)", new TableOrder(2, 1_000_000, 1), false), UnaryOperator.identity());

        assertThat(anew).isInstanceOfSatisfying(Publication.Stored.class, stored -> {
            RoutingTable table = stored.table().table();
            assertThat(table.order().incarnation()).isEqualTo(2);
            assertThat(table.order().revision()).isEqualTo(2);
            assertThat(TableInvariants.check(newest, table)).isEmpty();
            assertThat(copy()).isEqualTo(stored.table().document());
        });
        assertThat(again).isInstanceOf(Publication.Deferred.class);
        assertThat(publisher.publish(orders, announce(2)).changed()).isTrue();
    }

    @Test
    void aWitnessThatTheStoredTableDoesNotContradictMakesNoNewIncarnation() {
        publisher.publish(orders, none -> first());
        publisher.publish(orders, announce(0));
        Witness old = new Witness("web-0 (web)", new TableOrder(1, 2, 2), false);

        Publication published = publisher.publishAnew(orders, old, announce(1));

        assertThat(shop.table().orElseThrow().getSpec().incarnation()).isEqualTo(1);
        assertThat(published)
                .isInstanceOfSatisfying(
                        Publication.Stored.class,
                        stored -> assertThat(stored.table().table().order().revision())
                                .isEqualTo(3));
    }

    @Test
    void anOldLeaderWhoseWriterEpochIsReachedAgainAfterARestoreEndsAllTheSame() {
        publisher.publish(orders, none -> first());
        Runnable backup = shop.backupOfTable();
        TablePublisher old = newProcess();
        old.publish(orders, UnaryOperator.identity());
        old.publish(orders, announce(0));
        backup.run();
        newProcess().publishAnew(orders, new Witness("web-0 (web)", new TableOrder(1, 2, 3), false), announce(0));
        assertThat(shop.table().orElseThrow().getSpec().writerEpoch()).isEqualTo(2);

        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> old.publish(orders, announce(1)))
                .withMessageContaining("the term of this process is over");
        assertThat(ended).hasValue(1);
    }

    @Test
    void theCopyThatAnEarlierInstallationLeftIsAWitness() {
        RoutingTable left = publisher.publish(orders, none -> first()).table().table();
        shop.deleteTable();

        TablePublisher next = newProcess();

        assertThat(next.witnesses(orders))
                .containsExactly(new Witness("ConfigMap orders-routing", left.order(), false));
        next.publish(orders, none -> first());
        admin().edit(copy -> {
            copy.setData(Map.of("table.json", RoutingTableCodec.encode(left.withOrder(new TableOrder(1, 57, 60)))));
            return copy;
        });
        next.publish(orders, announce(0));
        assertThat(next.witnesses(orders))
                .contains(new Witness("ConfigMap orders-routing", new TableOrder(1, 57, 60), false));
    }

    @Test
    void pacedStepsComeOncePerSecondAndAnnouncementsAtOnce() {
        publisher.publish(orders, stored -> stored == null ? first() : stored);

        Publication first = publisher.publishPaced(orders, announce(0));
        Publication second = publisher.publishPaced(orders, announce(1));
        Publication.Stored third = publisher.publish(orders, announce(1));

        assertThat(first).isInstanceOf(Publication.Stored.class);
        assertThat(second).isInstanceOf(Publication.Deferred.class);
        assertThat(third.changed()).isTrue();
    }
}
