package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.ApiServer;
import io.shardwright.controllers.world.Quiet;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.routingtable.RoutingTableSpec;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.meaning.Tables;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A table that goes back to an older one, as when etcd is restored, and routers that keep what they have. */
class LostTableIT extends ShopRoom {
    private static final List<String> ROUTERS = List.of("worker-0", "web-0");

    /** A backup of the table, then a move that is over: every router has newer ones. */
    private Runnable backupThenAMove() {
        readyWithFour();
        shop.policy("orders", "Manual", "");
        Runnable backup = shop.backupOfTable();
        shop.move("first", "ds-0", "ds-1", bucketOf("ds-0"));
        inAMinute("the end of the move", () -> shop.phase("first").equals("Succeeded"));
        eventually(
                "routers to have the newest table",
                () -> ROUTERS.stream()
                        .allMatch(pod -> routers.held(pod).equals(shop.table().map(Tables::table))));
        return backup;
    }

    private RoutingTableSpec spec() {
        return shop.table().orElseThrow().getSpec();
    }

    private void everyRouterIsIn(long incarnation) {
        eventually(
                "every router to follow",
                () -> ROUTERS.stream()
                        .allMatch(pod -> routers.held(pod).orElseThrow().order().incarnation() == incarnation));
        eventually("a cluster that is settled", () -> clusterIs(ConditionType.PROGRESSING, "Settled"));
        eventually(
                "all acknowledgements",
                () -> "2/2".equals(shop.cluster().getStatus().routing().acked().total()));
    }

    @Test
    void routersFollowARestoredTableBecauseItIsPublishedAnewFromTheFences() {
        Runnable backup = backupThenAMove();
        String map = spec().bucketMap();
        long revision = spec().revision();
        RoutingTable newest = routers.held("web-0").orElseThrow();

        restart(backup);
        routers.rejoin("worker-0", Role.WORKER, newest).rejoin("web-0", Role.WEB, newest);

        everyRouterIsIn(2);
        assertThat(spec().bucketMap()).isEqualTo(map);
        assertThat(spec().revision()).isLessThan(revision);
        assertThat(shop.events("HistoryLost"))
                .singleElement()
                .asString()
                .contains( // whoever shows it first: a router, or the copy that pods mount
                        "has revision " + newest.order().revision() + " of incarnation 1",
                        "from the fence rows, as incarnation 2");

        shop.move("second", "ds-2", "ds-1", bucketOf("ds-2"));
        inAMinute("the next move to pass its gates", () -> shop.phase("second").equals("Succeeded"));
    }

    @Test
    void theProcessThatPublishedBeforeTheRestoreDoesTheSame() {
        Runnable backup = backupThenAMove();
        String map = spec().bucketMap();

        backup.run();

        everyRouterIsIn(2);
        assertThat(spec().bucketMap()).isEqualTo(map);
    }

    @Test
    void whileAShardIsSilentARestoredTableIsNotPublishedAnewAndThatIsSaid() {
        Runnable backup = backupThenAMove();
        world.breakShard("ds-3", ShardSight.Problem.Kind.UNREACHABLE, "ds-3:5432 does not answer");
        eventually("the silence to be seen", () -> clusterIs(ConditionType.REACHABLE, "UnreachableShard"));
        backup.run();

        eventually("the lost history to be told", () -> clusterIs(ConditionType.PROGRESSING, "HistoryLost"));
        assertThat(shop.clusterCondition(ConditionType.PROGRESSING)
                        .orElseThrow()
                        .message())
                .contains("when every shard answers");
        Quiet.observe(Duration.ofSeconds(2), () -> touching(() -> spec().incarnation() > 1));
        assertThat(spec().incarnation()).isEqualTo(1);

        world.healShard("ds-3");

        everyRouterIsIn(2);
    }

    @Test
    void aRouterThatShowsTablesWhichNeverWereMovesNothingAndIsObeyedOnce() {
        readyWithFour();
        String map = spec().bucketMap();

        routers.lies("web-0", 1_000);

        eventually("the table to be published anew", () -> spec().incarnation() == 2);
        Quiet.observe(Duration.ofSeconds(4), () -> touching(() -> spec().incarnation() > 2));
        assertThat(spec().incarnation()).isEqualTo(2);
        assertThat(spec().bucketMap()).isEqualTo(map);
        assertThat(spec().epochs()).isEqualTo("1*8");
        assertThat(shop.cluster().getStatus().nextAction()).contains("delete the pod that is named");
    }

    @Test
    void aTableAfterAnotherInstallationIsAboveTheCopyThatTheFirstOneLeft() {
        readyWithFour();
        RoutingTable newest = shop.table().map(Tables::table).orElseThrow();

        restart(() -> {
            shop.clear();
            shop.cluster(4, 8);
        });

        eventually("a table", () -> shop.table().isPresent());
        RoutingTable first = shop.table().map(Tables::table).orElseThrow();
        assertThat(first.order()).isGreaterThan(newest.order());
        assertThat(first.bucketMap()).isEqualTo(newest.bucketMap());
        eventually("the copy to follow", () -> copy().contains("\"incarnation\":2"));
    }

    private String copy() {
        return ApiServer.get()
                .admin()
                .configMaps()
                .inNamespace(shop.namespace())
                .withName("orders-routing")
                .require()
                .getData()
                .get("table.json");
    }
}
