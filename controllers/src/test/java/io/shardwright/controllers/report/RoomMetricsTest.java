package io.shardwright.controllers.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.search.Search;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.shardwright.crds.ClusterRef;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec;
import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.KeyHold;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.hotkeys.HotKeyState;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.Role;
import io.shardwright.routing.Scope;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class RoomMetricsTest {
    private static final Instant EIGHT = Instant.parse("2026-03-01T08:00:00Z");
    private static final Duration BUDGET = Duration.ofMillis(300);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final WallClock clock = new WallClock();
    private final RoomMetrics metrics = new RoomMetrics(registry, clock);

    /** Goes when it is told to. */
    private static final class WallClock extends Clock {
        private Instant now = EIGHT;

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }

        @Override
        public Instant instant() {
            return now;
        }
    }

    private static BucketMove move() {
        BucketMove move = new BucketMove();
        move.getMetadata().setNamespace("shop");
        move.setSpec(new BucketMoveSpec(new ClusterRef("orders"), "a", "b", List.of(1, 2), null, null, null, null));
        return move;
    }

    private static MoveReport.Switch attempt(boolean activated, double predicted, double hold) {
        return new MoveReport.Switch(
                new TreeMap<>(Map.of(Scope.bucket(1), 2L, Scope.bucket(2), 2L)),
                activated,
                predicted,
                hold,
                Map.of("drain", 1.0, "fence", 2.0, "an unknown part", 9.0),
                List.of());
    }

    private Search figure(String name) {
        return registry.find(name).tag("namespace", "shop").tag("cluster", "orders");
    }

    private double gauge(String name, String... label) {
        return figure(name).tags(label).gauge().value();
    }

    private DistributionSummary summary(String name, String... label) {
        return figure(name).tags(label).summary();
    }

    @Test
    void recordsTheHoldOfAGroupForEachOfItsBucketsWithItsPartsAndTheErrorOfItsPrediction() {
        metrics.switched(move(), attempt(true, 7, 4.5), BUDGET);

        assertThat(summary("shardwright_write_hold_milliseconds").count()).isEqualTo(2);
        assertThat(summary("shardwright_write_hold_milliseconds").max()).isEqualTo(4.5);
        assertThat(summary("shardwright_write_hold_part_milliseconds", "part", "fence")
                        .totalAmount())
                .isEqualTo(4);
        assertThat(summary("shardwright_write_hold_prediction_error_milliseconds")
                        .max())
                .isEqualTo(2.5);
        assertThat(registry.find("shardwright_write_hold_part_milliseconds").meters())
                .extracting(Meter::getId)
                .extracting(id -> id.getTag("part"))
                .isSubsetOf(RoomMetrics.PARTS);
    }

    @Test
    void recordsHoldsForTheSakeOfKeysByTheirCauseAndCountsThoseAboveTheBudget() {
        metrics.heldForKeys(move(), new KeyHold(KeyHold.Cause.SPLIT, 4.5), BUDGET);
        metrics.heldForKeys(move(), new KeyHold(KeyHold.Cause.FOLD, BUDGET.toMillis() + 1), BUDGET);

        assertThat(summary("shardwright_key_split_hold_milliseconds").totalAmount())
                .isEqualTo(4.5);
        assertThat(summary("shardwright_key_fold_hold_milliseconds").count()).isEqualTo(1);
        assertThat(figure("shardwright_write_holds_above_budget").counter().count())
                .isEqualTo(1);
    }

    @Test
    void countsEachBucketWhoseWritersWaitedLongerThanTheBudget() {
        metrics.switched(move(), attempt(true, 7, 300), BUDGET);
        metrics.switched(move(), attempt(true, 7, 300.1), BUDGET);

        assertThat(figure("shardwright_write_holds_above_budget").counter().count())
                .isEqualTo(2);
    }

    @Test
    void countsAnAttemptThatWasGivenUpAndRecordsNoHoldOfIt() {
        metrics.began("shop", "orders");
        metrics.switched(move(), attempt(false, 7, 400), BUDGET);

        assertThat(figure("shardwright_failed_drains").counter().count()).isEqualTo(1);
        assertThat(summary("shardwright_write_hold_milliseconds").count()).isZero();
        assertThat(figure("shardwright_write_holds_above_budget").counter().count())
                .isZero();
    }

    @Test
    void beginsWhatCountsWithZeroSoThatTheFirstEventIsAnIncrease() {
        metrics.began("shop", "orders");

        assertThat(figure("shardwright_failed_drains").counter().count()).isZero();
        assertThat(figure("shardwright_write_holds_above_budget").counter().count())
                .isZero();
        assertThat(registry.find("shardwright_write_hold_part_milliseconds").meters())
                .hasSameSizeAs(RoomMetrics.PARTS);
    }

    @Test
    void countsWhatIsSweptAndTellsWhatIsLeftWhileItIsKnown() {
        metrics.began("shop", "orders");
        assertThat(figure("shardwright_swept_leftovers").counter().count()).isZero();

        metrics.swept("shop", "orders");
        metrics.leftovers("shop", "orders", 3);

        assertThat(figure("shardwright_swept_leftovers").counter().count()).isEqualTo(1);
        assertThat(gauge("shardwright_leftovers")).isEqualTo(3);

        metrics.leftoversUnknown("shop", "orders");

        assertThat(figure("shardwright_leftovers").gauge()).isNull();
    }

    @Test
    void letsAnAgeGrowBetweenTwoPassesAndEndWithItsCause() {
        metrics.stuck("shop", "orders", Optional.of(EIGHT.minusSeconds(60)), Optional.of(EIGHT.minusSeconds(70)));
        metrics.unacknowledged("shop", "orders", Role.WEB, Optional.of(EIGHT));
        metrics.passed("shop", "orders");
        clock.now = EIGHT.plusSeconds(30);

        assertThat(gauge("shardwright_move_blocked_seconds")).isEqualTo(90);
        assertThat(gauge("shardwright_move_held_seconds")).isEqualTo(100);
        assertThat(gauge("shardwright_unacknowledged_seconds", "role", "web")).isEqualTo(30);
        assertThat(gauge("shardwright_cluster_pass_age_seconds")).isEqualTo(30);

        metrics.stuck("shop", "orders", Optional.empty(), Optional.empty());
        metrics.unacknowledged("shop", "orders", Role.WEB, Optional.empty());
        assertThat(gauge("shardwright_move_blocked_seconds")).isZero();
        assertThat(gauge("shardwright_unacknowledged_seconds", "role", "web")).isZero();
    }

    @Test
    void showsAConditionThatIsUnknownOrMissingAsNotTrue() {
        metrics.conditions(
                "shop",
                "orders",
                List.of(
                        condition(ConditionType.REACHABLE, ConditionStatus.TRUE),
                        condition(ConditionType.FENCE_INSTALLED, ConditionStatus.UNKNOWN)));

        assertThat(gauge("shardwright_cluster_condition", "condition", "Reachable"))
                .isEqualTo(1);
        assertThat(gauge("shardwright_cluster_condition", "condition", "FenceInstalled"))
                .isZero();
        assertThat(gauge("shardwright_cluster_condition", "condition", "Ready")).isZero();
    }

    private static Condition condition(ConditionType type, ConditionStatus status) {
        return Condition.of(type, status, Reason.SETTLED, "as seen", 1L, EIGHT);
    }

    @Test
    void hasNoFigureForAnOwnershipThatNobodyKnows() {
        metrics.ownership("shop", "orders", OptionalInt.of(1), OptionalInt.of(2));
        assertThat(gauge("shardwright_contested_buckets")).isEqualTo(1);
        assertThat(gauge("shardwright_ownerless_buckets")).isEqualTo(2);

        metrics.ownership("shop", "orders", OptionalInt.empty(), OptionalInt.empty());
        assertThat(registry.getMeters()).isEmpty();

        metrics.ownership("shop", "orders", OptionalInt.empty(), OptionalInt.of(3));
        assertThat(figure("shardwright_contested_buckets").gauge()).isNull();
        assertThat(gauge("shardwright_ownerless_buckets")).isEqualTo(3);
    }

    @Test
    void showsMovesAndRoutersAndForgetsThemWithTheirCluster() {
        metrics.began("shop", "orders");
        metrics.switched(move(), attempt(true, 1, 1), BUDGET);
        metrics.moves("shop", "orders", Map.of(MovePhase.COPYING, 2L));
        metrics.routers("shop", "orders", new AckGate(Map.of(Role.WEB, 3), Map.of(Role.WEB, 2), List.of(), true));
        metrics.table("shop", "orders", 7);
        metrics.table("shop", "other", 8);
        assertThat(gauge("shardwright_moves", "phase", "Copying")).isEqualTo(2);
        assertThat(gauge("shardwright_routers", "role", "worker", "state", "acked"))
                .isZero();
        assertThat(gauge("shardwright_routers", "role", "web", "state", "behind"))
                .isEqualTo(1);

        metrics.moves("shop", "orders", Map.of());
        assertThat(gauge("shardwright_moves", "phase", "Copying")).isZero();
        metrics.forget("shop", "orders");

        assertThat(registry.getMeters())
                .singleElement()
                .satisfies(meter -> assertThat(meter.getId().getTag("cluster")).isEqualTo("other"));
    }

    @Test
    void hasLabelsOfFewValuesOnly() {
        metrics.began("shop", "orders");
        metrics.switched(move(), attempt(true, 1, 1), BUDGET);
        metrics.moves("shop", "orders", Map.of());
        metrics.routers("shop", "orders", new AckGate(Map.of(), Map.of(), List.of(), true));
        metrics.conditions("shop", "orders", List.of());

        assertThat(registry.getMeters().stream()
                        .flatMap(meter -> meter.getId().getTags().stream())
                        .map(Tag::getKey))
                .isSubsetOf("namespace", "cluster", "role", "state", "phase", "part", "condition", "le");
    }

    @Test
    void hotKeysAreCountedByStateAndAreUnknownWhereNothingIsDetected() {
        metrics.hotKeys("shop", "orders", true, Map.of(HotKeyState.PINNED, 2L));
        assertThat(figure("shardwright_hot_keys").tag("state", "Pinned").gauge().value())
                .isEqualTo(2);
        assertThat(figure("shardwright_hot_keys")
                        .tag("state", "Candidate")
                        .gauge()
                        .value())
                .isZero();

        metrics.hotKeys("shop", "orders", false, Map.of());
        assertThat(registry.find("shardwright_hot_keys").gauges()).isEmpty();
    }
}
