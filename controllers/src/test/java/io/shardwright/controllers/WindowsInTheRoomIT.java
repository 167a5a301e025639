package io.shardwright.controllers;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.controllers.world.Quiet;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.routing.Role;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Windows and freezes of a policy, see {@link RunningRoom}. In the room it is noon of the first of March. */
class WindowsInTheRoomIT extends ShopRoom {
    private static final Instant OPENS = Instant.parse("2026-03-02T02:00:00Z");
    private static final String NIGHTLY = "windows: [{cron: '0 11 * * *', duration: 4h, timeZone: Asia/Seoul}]";
    private static final String FROZEN =
            "freezes: [{from: '2026-02-20T00:00:00Z', to: '2026-03-10T00:00:00Z', reason: holidays}]";

    @BeforeEach
    void noon() {
        room.clock().shows(Instant.parse("2026-03-01T12:00:00Z"));
    }

    @Test
    void aMoveThatSomebodyMakesByHandWaitsForTheWindowAndBeginsWhenItOpens() {
        readyWithFour();
        shop.policy("tolerance", "Manual", "", NIGHTLY);
        shop.move("by-hand", "ds-0", "ds-1", bucketOf("ds-0"));

        eventually("the policy to be named", () -> isHeld("by-hand", "OutsideWindows"));

        BucketMove move = shop.move("by-hand").orElseThrow();
        assertThat(move.getStatus().phase()).isEqualTo("Pending");
        assertThat(move.getStatus().blockedBy()).singleElement().satisfies(blocker -> {
            assertThat(blocker.kind()).isEqualTo("ShardPolicy");
            assertThat(blocker.name()).isEqualTo("tolerance");
            assertThat(blocker.since()).startsWith("2026-03-01T12:0");
            assertThat(blocker.reason()).contains("opens at 2026-03-02T02:00:00Z (2026-03-02 11:00 in Asia/Seoul)");
        });
        assertThat(move.getStatus().nextAction()).contains("wait until 2026-03-02T02:00:00Z");
        assertThat(movers.opened()).as("nobody has looked at a shard for it").isZero();

        almostOpen();

        eventually("the switch", () -> world.owned("ds-0") == 1);
        assertThat(room.clock().instant()).isAfterOrEqualTo(OPENS);
    }

    @Test
    void aFreezeThatComesDuringTheCopyHoldsTheSwitchUntilItIsLifted() {
        frozenDuringTheCopy("surprised");
        assertThat(shop.phase("surprised")).isEqualTo("Ready");
        assertThat(shop.moveCondition("surprised", ConditionType.VERIFIED))
                .hasValueSatisfying(verified -> assertThat(verified.isTrue()).isTrue());
        Quiet.observe(Duration.ofSeconds(3), () -> touching(() -> world.owned("ds-0") != 2));
        assertThat(world.owned("ds-0")).isEqualTo(2);

        shop.policy("tolerance", "Manual", "");

        eventually("the switch", () -> world.owned("ds-0") == 1);
    }

    @Test
    void anAbortWaitsForNoFreeze() {
        frozenDuringTheCopy("unwanted");

        shop.abort("unwanted");

        eventually("the end", () -> shop.phase("unwanted").equals("Aborted"));
        assertThat(world.owned("ds-0")).isEqualTo(2);
    }

    @Test
    void anApprovedPlanIsMadeWhenItsWindowOpensAndNobodyHasToCall() {
        readyWithFour();
        shop.policy("tolerance", "Propose", "", NIGHTLY);
        shop.cluster(5, 8);
        eventually("a plan", () -> isPlan("AwaitingApproval"));
        String hash = shop.policy("tolerance").getStatus().plan().hash();

        shop.policy("tolerance", "Propose", hash, NIGHTLY);

        eventually("the approval to wait", () -> isPlan("OutsideWindows"));
        assertThat(shop.policyCondition("tolerance", ConditionType.PLAN_APPROVED)
                        .map(Condition::message))
                .hasValueSatisfying(message -> assertThat(message)
                        .startsWith("the plan is approved; its moves wait: outside")
                        .contains("2026-03-02T02:00:00Z"));
        assertThat(shop.moves()).isEmpty();

        almostOpen();

        eventually("its move", () -> world.owned("ds-4") == 1);
        assertThat(room.clock().instant()).isAfterOrEqualTo(OPENS);
    }

    @Test
    void aTimeZoneThatNobodyKnowsHoldsMovesUntilItIsCorrected() {
        readyWithFour();
        shop.policy("tolerance", "Manual", "", NIGHTLY.replace("Seoul", "Soul"));
        eventually(
                "the refusal",
                () -> shop.policyCondition("tolerance", ConditionType.ACCEPTED)
                        .filter(accepted -> !accepted.isTrue()
                                && accepted.reason().equals("WindowUnfit")
                                && accepted.message().contains("spec.windows[0].timeZone"))
                        .isPresent());
        assertThat(shop.policy("tolerance").getStatus().nextAction()).contains("correct ShardPolicy tolerance");
        shop.move("early", "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the policy to be named", () -> isHeld("early", "WindowUnfit"));

        shop.policy("tolerance", "Manual", "", NIGHTLY.replace("0 11", "0 20"));

        eventually("the switch", () -> world.owned("ds-0") == 1);
        eventually(
                "the policy to be accepted",
                () -> shop.policyCondition("tolerance", ConditionType.ACCEPTED)
                        .filter(Condition::isTrue)
                        .isPresent());
    }

    /** A process that finds the freeze goes on with the copy of the one before it, as far as the switch. */
    private void frozenDuringTheCopy(String move) {
        readyWithFour();
        shop.policy("tolerance", "Manual", "");
        movers.copyForEver(true);
        shop.move(move, "ds-0", "ds-1", bucketOf("ds-0"));
        eventually("the copy", () -> shop.phase(move).equals("Copying"));

        shop.policy("tolerance", "Manual", "", FROZEN);
        restart(() -> movers.copyForEver(false));
        routers.rejoin("worker-0", Role.WORKER).rejoin("web-0", Role.WEB);

        eventually("the freeze to be named", () -> isHeld(move, "Frozen"));
    }

    /** Everybody looks once more and sets his alarm; from here on nobody calls. */
    private void almostOpen() {
        room.clock().shows(OPENS.minusSeconds(5));
        shop.touch();
    }

    private boolean isHeld(String move, String reason) {
        return shop.moveCondition(move, ConditionType.PROGRESSING)
                .filter(condition -> condition.reason().equals(reason))
                .isPresent();
    }

    private boolean isPlan(String reason) {
        return shop.policyCondition("tolerance", ConditionType.PLAN_APPROVED)
                .filter(condition -> condition.reason().equals(reason))
                .isPresent();
    }
}
