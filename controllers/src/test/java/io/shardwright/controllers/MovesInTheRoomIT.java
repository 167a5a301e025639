package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.Quiet;
import io.shardwright.crds.ConditionType;
import io.shardwright.dataplane.Mover;
import io.shardwright.routing.Role;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Moves that are held, taken back, or taken over by another process, see {@link RunningRoom}. */
class MovesInTheRoomIT extends ShopRoom {
    @Test
    void takesAMoveBackBeforeItsObjectGoes() {
        readyWithFour();
        movers.copyForEver(true);
        shop.move("by-hand", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the copy", () -> shop.phase("by-hand").equals("Copying"));
        movers.copyForEver(false);

        shop.delete("by-hand");

        eventually("the object to be gone", () -> shop.move("by-hand").isEmpty());
        assertThat(world.effects()
                        .subList(world.effects().size() - 2, world.effects().size()))
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("aborted ds-1"),
                        second -> assertThat(second).startsWith("owned ds-0"));
        assertThat(movers.open()).isZero();
    }

    @Test
    void aClusterThatIsDeletedGoesWhenTheMovesThatItNamesHaveEnded() {
        readyWithFour();
        movers.copyForEver(true);
        shop.move("at-work", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the copy", () -> shop.phase("at-work").equals("Copying"));

        shop.deleteCluster();

        eventually(
                "the move to be named",
                () -> shop.clusterCondition(ConditionType.ACCEPTED)
                        .filter(condition -> condition.message().contains("being deleted")
                                && condition.message().contains("at-work"))
                        .isPresent());
        movers.copyForEver(false);
        shop.delete("at-work");

        eventually("the cluster to be gone", () -> shop.cluster() == null);
        eventually("its move to be gone", () -> shop.move("at-work").isEmpty());
        assertThat(shop.table()).isPresent();
    }

    @Test
    void letsGoOfAMoveByForceAndSaysSo() {
        readyWithFour();
        movers.copyForEver(true);
        shop.move("stuck", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the copy", () -> shop.phase("stuck").equals("Copying"));
        int before = world.effects().size();
        shop.annotate("stuck", "shardwright.io/force-remove", "the target burnt down");

        shop.delete("stuck");

        eventually("the object to be gone", () -> shop.move("stuck").isEmpty());
        assertThat(world.effects()).hasSize(before);
        assertThat(shop.events("ForceRemoved")).singleElement().asString().contains("the target burnt down");
    }

    @Test
    void namesARouterThatNeverAcknowledgesAndGoesOnWhenItIsGone() {
        readyWithFour();
        shop.policy("orders", "Manual", "");
        routers.freeze("web-0");
        shop.move("held", "ds-0", "ds-1", bucketOf("ds-0"));

        eventually(
                "the router to be named",
                () -> shop.move("held")
                        .map(move -> move.getStatus())
                        .filter(status -> status != null
                                && status.nextAction() != null
                                && status.blockedBy().stream()
                                        .anyMatch(one -> one.name().startsWith("web-0")))
                        .isPresent());
        assertThat(shop.phase("held")).isEqualTo("Ready");
        assertThat(world.owned("ds-0")).isEqualTo(2);
        eventually("the event", () -> !shop.events("AwaitingAcks").isEmpty()); // told after the status is stored
        String since = blockedSince("held");
        long end =
                room.nanos().getAsLong() + Duration.ofSeconds(75).toNanos(); // the fence rows are read again every 30 s
        Quiet.observe(
                LIMIT, () -> room.nanos().getAsLong() - end > 0 || touching(() -> !since.equals(blockedSince("held"))));
        assertThat(blockedSince("held")).isEqualTo(since);
        assertThat(shop.events("AwaitingAcks")).hasSize(1);

        routers.with("web-1", Role.WEB);
        routers.forget("web-0");
        shop.deletePod("web-0");

        eventually("the switch", () -> world.owned("ds-0") == 1);
    }

    private String blockedSince(String move) {
        return shop.move(move).orElseThrow().getStatus().blockedBy().stream()
                .map(one -> one.since())
                .findFirst()
                .orElse("nobody is named");
    }

    @Test
    void aTargetThatIsDownIsOneChangeOfPhaseHoweverOftenItIsTried() {
        readyWithFour();
        shop.policy("orders", "Manual", "");
        movers.targetDown(true);
        shop.move("patient", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the fault", () -> shop.phase("patient").equals("Blocked"));

        // 40 s of the room: tries after 2, 6, 14 and 30 s
        Quiet.observe(
                Duration.ofSeconds(4),
                () -> touching(() -> !shop.phase("patient").equals("Blocked")));

        assertThat(shop.phase("patient")).isEqualTo("Blocked");
        assertThat(shop.move("patient").orElseThrow().getStatus().history())
                .filteredOn(one -> one.to().equals("Blocked"))
                .hasSize(1);
        assertThat(shop.events("UnreachableShard")).hasSize(1);
        assertThat(movers.attempts(Mover.Command.PREPARE)).isBetween(3L, 5L);

        movers.targetDown(false);

        inAMinute("the next try to succeed", () -> !shop.phase("patient").equals("Blocked"));
        eventually("the switch", () -> world.owned("ds-0") == 1);
    }

    @Test
    void aNewProcessFinishesACleanupThatTheOldOneHadBegun() {
        readyWithFour();
        shop.policy("orders", "Manual", "");
        movers.cleanUpForEver(true);
        shop.move("nearly-done", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the switch", () -> world.owned("ds-0") == 1);
        inAMinute("the cleanup", () -> shop.phase("nearly-done").equals("CleaningUp"));

        restart(() -> movers.cleanUpForEver(false));
        routers.rejoin("worker-0", Role.WORKER).rejoin("web-0", Role.WEB);

        inAMinute("the end", () -> shop.phase("nearly-done").equals("Succeeded"));
        assertThat(shop.move("nearly-done").orElseThrow().getStatus().switches())
                .hasSize(1);
        assertThat(shop.move("nearly-done").orElseThrow().getStatus().history())
                .extracting(one -> one.to())
                .containsSubsequence("CleaningUp", "Succeeded");
    }

    @Test
    void aNewProcessGoesOnWhereTheOldOneStopped() {
        readyWithFour();
        movers.copyForEver(true);
        shop.move("survivor", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the copy", () -> shop.phase("survivor").equals("Copying"));

        restart(() -> movers.copyForEver(false));
        routers.rejoin("worker-0", Role.WORKER).rejoin("web-0", Role.WEB);

        eventually("the switch", () -> world.owned("ds-0") == 1);
        assertThat(movers.opened()).isEqualTo(3); // of the copy, of the rest, and of the way back
        assertThat(shop.table().orElseThrow().getSpec().writerEpoch()).isEqualTo(2);
    }
}
