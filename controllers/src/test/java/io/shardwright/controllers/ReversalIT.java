package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.FakeMovers;
import io.shardwright.controllers.world.FenceWorld;
import io.shardwright.controllers.world.Shop;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.dataplane.Mover;
import io.shardwright.routing.Role;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;

/** A move that has switched and can be taken back, see {@link RunningRoom}. */
class ReversalIT {
    private RunningRoom room;
    private Shop shop;
    private FenceWorld world;
    private FakeMovers movers;

    @BeforeEach
    void aShop(TestInfo test) {
        room = new RunningRoom(test.getDisplayName());
        shop = room.shop();
        world = room.world();
        movers = room.movers();
        room.readyWithFour();
        shop.policy("orders", "Manual", "");
    }

    @AfterEach
    void stop() {
        room.close();
    }

    /** A move of one bucket from ds-0 to ds-1 that soaks for an hour. */
    private void soaking() {
        shop.reversibleMove("there", "1h", "ds-0", "ds-1", room.bucketOf("ds-0"));
        awaitPhase("Reversible");
    }

    private void awaitPhase(String phase) {
        room.eventually("phase " + phase, () -> shop.phase("there").equals(phase));
    }

    private BucketMoveStatus status() {
        return shop.move("there").orElseThrow().getStatus();
    }

    private String said(ConditionType type) {
        Condition condition = shop.moveCondition("there", type).orElseThrow();
        return condition.status() + " " + condition.reason();
    }

    private List<String> phases() {
        return status().history().stream().map(BucketMoveStatus.Transition::to).toList();
    }

    @Test
    void aMoveThatIsReversedInItsSoakEndsWithTheSourceInTheTable() {
        String before = shop.table().orElseThrow().getSpec().bucketMap();
        Instant early = Instant.now().minusSeconds(1); // a status has no fractions of a second
        soaking();
        assertThat(Instant.parse(status().reversibleUntil()))
                .isBetween(early.plus(Duration.ofHours(1)), Instant.now().plus(Duration.ofHours(1)));
        assertThat(said(ConditionType.REVERSIBLE)).isEqualTo("True Reversible");
        assertThat(said(ConditionType.WRITES_SWITCHED)).isEqualTo("True Switched");
        assertThat(shop.table().orElseThrow().getSpec().bucketMap()).isNotEqualTo(before);

        shop.intent("there", "Reverse");

        room.inAMinute("the move to be reversed", () -> shop.phase("there").equals("Reversed"));
        assertThat(shop.table().orElseThrow().getSpec().bucketMap()).isEqualTo(before);
        assertThat(shop.table().orElseThrow().getSpec().handovers()).isEmpty();
        assertThat(world.owned("ds-0")).isEqualTo(2);
        assertThat(status().reversal()).isEqualTo(new BucketMoveStatus.Reversal("Succeeded", true));
        assertThat(status().hold().attempts()).isEqualTo(2);
        assertThat(said(ConditionType.READY)).isEqualTo("True Reversed");
        assertThat(said(ConditionType.WRITES_SWITCHED)).isEqualTo("False NotSwitched");
        assertThat(phases()).containsSubsequence("Reversible", "Reversing", "Reversed");
        room.eventually("movers are closed", () -> movers.open() == 0);
    }

    @Test
    void aPauseStandsStillInTheSoakAndRunGoesOnWithItWhateverThePolicySaysByThen() {
        shop.policySoak("orders", "1h");
        shop.moveByPolicy("there", "ds-0", "ds-1", room.bucketOf("ds-0"));
        awaitPhase("Reversible");
        String promised = status().reversibleUntil();
        shop.policySoak("orders", "0s");

        shop.intent("there", "Pause");
        awaitPhase("Paused");
        assertThat(said(ConditionType.PROGRESSING)).isEqualTo("False Paused");
        assertThat(status().nextAction()).contains("\"intent\":\"Run\"");
        shop.intent("there", "Run");
        awaitPhase("Reversible");
        assertThat(status().reversibleUntil()).isEqualTo(promised);
        assertThat(world.owned("ds-1")).isEqualTo(3);
    }

    @Test
    @Tag("long")
    void aReversalThatIsTakenBackLeavesTheBucketWithTheTarget() {
        soaking();
        movers.copyForEver(true);
        shop.intent("there", "Reverse");
        awaitPhase("Reversing");
        room.eventually("the reversal to have begun", () -> world.effects().contains("importing ds-0 " + bucket()));

        shop.intent("there", "Run");

        room.eventually(
                "the reversal to be decided against",
                () -> status().reversal().phase().equals("Aborted"));
        movers.copyForEver(false);
        room.inAMinute("the move to end well", () -> shop.phase("there").equals("Succeeded"));
        assertThat(world.owned("ds-1")).isEqualTo(3);
        assertThat(said(ConditionType.REVERSIBLE)).isEqualTo("False ReversalAborted");
        assertThat(said(ConditionType.WRITES_SWITCHED)).isEqualTo("True Switched");
        assertThat(shop.events("ReversalAborted")).hasSize(1);
    }

    private int bucket() {
        return shop.move("there").orElseThrow().getSpec().buckets().get(0);
    }

    @Test
    @Tag("long")
    void aNewProcessFinishesTheReversalThatTheOldOneHadBegun() {
        soaking();
        movers.copyForEver(true);
        shop.intent("there", "Reverse");
        room.eventually("the reversal to have begun", () -> world.effects().contains("importing ds-0 " + bucket()));

        room.restart(() -> movers.copyForEver(false));
        room.routers().rejoin("worker-0", Role.WORKER).rejoin("web-0", Role.WEB);

        room.inAMinute("the move to be reversed", () -> shop.phase("there").equals("Reversed"));
        assertThat(world.owned("ds-0")).isEqualTo(2);
    }

    @Test
    @Tag("long")
    void aLostWayBackIsToldAndKeepsTheMoveFromNothingButItsReversal() {
        soaking();
        movers.wayBackLost(true);
        room.restart();
        room.routers().rejoin("worker-0", Role.WORKER).rejoin("web-0", Role.WEB);
        room.eventually("the loss", () -> said(ConditionType.REVERSIBLE).equals("False WayBackLost"));
        assertThat(movers.attempts(Mover.Command.FOLLOW)).isEqualTo(2);

        shop.intent("there", "Reverse");
        room.eventually(
                "the advice",
                () -> status().nextAction() != null && status().nextAction().contains("BucketMove from ds-1 to ds-0"));
        shop.intent("there", "Complete");

        room.inAMinute("the move to end well", () -> shop.phase("there").equals("Succeeded"));
        assertThat(said(ConditionType.READY)).isEqualTo("True Succeeded");
        assertThat(said(ConditionType.REVERSIBLE)).isEqualTo("False SoakOver");
        assertThat(world.owned("ds-1")).isEqualTo(3);
    }
}
