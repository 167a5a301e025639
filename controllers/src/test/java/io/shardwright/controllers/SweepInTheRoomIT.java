package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.FakeLeftovers;
import io.shardwright.crds.ConditionType;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What moves that are gone have left, see {@link RunningRoom}. */
class SweepInTheRoomIT extends ShopRoom {
    private FakeLeftovers leftovers;

    @BeforeEach
    void ready() {
        leftovers = room.leftovers();
        readyWithFour();
    }

    private UUID uid(String move) {
        return UUID.fromString(shop.move(move).orElseThrow().getMetadata().getUid());
    }

    private void letGo(String move) {
        shop.annotate(move, "shardwright.io/force-remove", "the target burnt down");
        shop.delete(move);
        eventually("the object to be gone", () -> shop.move(move).isEmpty());
    }

    @Test
    void theSlotOfAMoveThatWasLetGoByForceGoesAndThatOfALiveOneStays() {
        movers.copyForEver(true);
        int bucket = bucketOf("ds-0");
        shop.move("stuck", "ds-0", "ds-1", bucket);
        eventually("the copy", () -> shop.phase("stuck").equals("Copying"));
        shop.move("alive", "ds-2", "ds-3", bucketOf("ds-2"));
        UUID stuck = uid("stuck");
        UUID alive = uid("alive");
        leftovers.leaveSource("ds-0", stuck, bucket);
        leftovers.leaveTarget("ds-1", stuck, bucket);
        leftovers.leaveSource("ds-2", alive, bucketOf("ds-2"));
        assertThat(world.fence("ds-1").get(bucket).state()).isEqualTo(FenceState.IMPORTING);

        letGo("stuck");

        inAMinute("the sweep", () -> !leftovers.has("ds-0", stuck) && !leftovers.has("ds-1", stuck));
        assertThat(leftovers.has("ds-2", alive)).isTrue();
        assertThat(world.fence("ds-1").get(bucket).state()).isEqualTo(FenceState.ABORTED);
        assertThat(world.fence("ds-0").get(bucket).state()).isEqualTo(FenceState.OWNED);
        eventually("the events", () -> shop.events("LeftoversSwept").size() == 2);
        assertThat(shop.events("LeftoversSwept"))
                .anySatisfy(event -> assertThat(event).contains("slot shardwright_" + hex(stuck)))
                .noneSatisfy(event -> assertThat(event).contains(hex(alive)));
    }

    @Test
    void whileAShardIsSilentNothingGoesAndWhatIsLeftIsTold() {
        movers.copyForEver(true);
        int bucket = bucketOf("ds-0");
        shop.move("stuck", "ds-0", "ds-1", bucket);
        eventually("the copy", () -> shop.phase("stuck").equals("Copying"));
        UUID stuck = uid("stuck");
        leftovers.leaveSource("ds-0", stuck, bucket);
        leftovers.leaveTarget("ds-1", stuck, bucket);
        world.breakShard("ds-1", ShardSight.Problem.Kind.UNREACHABLE, "the target burnt down");

        letGo("stuck");

        eventually("somebody to be told", () -> !shop.events("LeftoversKept").isEmpty());
        assertThat(shop.events("LeftoversKept"))
                .singleElement()
                .asString()
                .contains("slot shardwright_" + hex(stuck), "nothing is swept while [ds-1] cannot be read");
        assertThat(leftovers.has("ds-0", stuck)).isTrue();

        world.healShard("ds-1");

        inAMinute("the sweep", () -> !leftovers.has("ds-0", stuck));
    }

    private static String hex(UUID move) {
        return move.toString().replace("-", "");
    }

    @Test
    void aBucketThatIsLeftWithoutAnOwnerIsToldAndNothingThatItNeedsIsSwept() {
        movers.copyForEver(true);
        int bucket = bucketOf("ds-0");
        shop.move("stuck", "ds-0", "ds-1", bucket);
        eventually("the copy", () -> shop.phase("stuck").equals("Copying"));
        UUID stuck = uid("stuck");
        leftovers.leaveSource("ds-0", stuck, bucket);
        leftovers.leaveTarget("ds-1", stuck, bucket);

        letGo("stuck");
        world.plant("ds-0", new FenceRow(bucket, FenceState.MOVED, 2, "ds-1", stuck));

        inAMinute("somebody to be told", () -> !shop.events("LeftoversKept").isEmpty());
        assertThat(shop.events("LeftoversKept"))
                .singleElement()
                .asString()
                .contains("bucket " + bucket + " has no owner", "ShardwrightBucketWithoutOwner.md");
        eventually("the condition", () -> clusterIs(ConditionType.FENCE_INSTALLED, "OwnershipUnknown"));
        assertThat(shop.clusterCondition(ConditionType.FENCE_INSTALLED)
                        .orElseThrow()
                        .message())
                .contains("bucket " + bucket + " has fence rows and no owner", "ds-1: IMPORTING epoch 1");
        assertThat(List.of(leftovers.has("ds-0", stuck), leftovers.has("ds-1", stuck)))
                .containsOnly(true);
        assertThat(shop.events("LeftoversSwept")).isEmpty();
    }
}
