package io.shardwright.planning.hotkeys;

import static io.shardwright.planning.hotkeys.HotSight.COOLDOWN;
import static io.shardwright.planning.hotkeys.HotSight.NOON;
import static io.shardwright.planning.hotkeys.HotSight.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key on its Dedicated shard: served, cooling down, and home again. */
class PinnedHotKeysTest {
    private static final Duration MOMENT = Duration.ofSeconds(1);

    /** The table has key 2 on ds-hot, which asks for it so often; ds-0, its home, has 3000 other requests. */
    private static HotSight serving(long requests) {
        return new HotSight()
                .pinned(2, "ds-hot")
                .requests("ds-hot", Math.max(1_000, requests))
                .asked("ds-hot", 2, requests);
    }

    private static List<HotKey> pinned() {
        return serving(900).after(HotKeyPlannerTest.hot().next()).next();
    }

    private static List<HotKey> coolingDown() {
        return serving(100).after(pinned()).later(WINDOW).next();
    }

    private static List<HotKey> goingHome() {
        return serving(100).after(coolingDown()).later(WINDOW.plus(COOLDOWN)).next();
    }

    @Test
    void aProposedKeyThatTheTableHasOnItsTargetIsPinned() {
        HotKey key = pinned().getFirst();

        assertThat(key.state()).isEqualTo(HotKeyState.PINNED);
        assertThat(key.reason()).isEqualTo(HotKeyReason.SERVED);
        assertThat(key.shard()).isEqualTo("ds-hot");
        assertThat(key.formerShard()).contains("ds-0");
        assertThat(key.before()).isPresent();
        assertThat(key.isWanted()).isTrue();
    }

    @Test
    void theFirstWholeWindowAfterwardsTellsHowItsNeighboursAre() {
        List<HotKey> pinned = pinned();

        assertThat(serving(900)
                        .neighboursTake("ds-0", 1_000)
                        .after(pinned)
                        .later(WINDOW.minus(MOMENT))
                        .only()
                        .after())
                .isEmpty();
        List<HotKey> told = serving(900)
                .neighboursTake("ds-0", 1_000)
                .after(pinned)
                .later(WINDOW)
                .next();
        assertThat(told.getFirst().after())
                .hasValueSatisfying(p95 -> assertThat(p95).isBetween(Duration.ofMillis(1), Duration.ofMillis(2)));
        assertThat(serving(900)
                        .neighboursTake("ds-0", 9_000)
                        .after(told)
                        .later(WINDOW.multipliedBy(2))
                        .only()
                        .after())
                .isEqualTo(told.getFirst().after());
        assertThat(serving(900)
                        .neighboursTake("ds-0", 1_000)
                        .after(pinned)
                        .later(WINDOW)
                        .uncovered()
                        .only()
                        .after())
                .isEmpty();
    }

    /** At home it may have 30 more, 1 %, because it is not listed there; 330 of 3300 is half of the threshold. */
    @ParameterizedTest(name = "{0} requests, {1} s after it came")
    @CsvSource({"299, 300, COOLING_DOWN", "300, 300, PINNED", "299, 299, PINNED"})
    void aKeyThatWouldBeColdAtHomeForAWholeWindowCoolsDown(long requests, long seconds, HotKeyState state) {
        HotKey key = serving(requests)
                .after(pinned())
                .later(Duration.ofSeconds(seconds))
                .only();

        assertThat(key.state()).isEqualTo(state);
        assertThat(key.isWanted()).isTrue();
    }

    @Test
    void itsUpperBoundMustBeCold() {
        HotSight likely = new HotSight()
                .pinned(2, "ds-hot")
                .requests("ds-hot", 1_000)
                .asked("ds-hot", 2, 10, 300)
                .after(pinned())
                .later(WINDOW);

        assertThat(likely.only().state()).isEqualTo(HotKeyState.PINNED);
        assertThat(new HotSight()
                        .pinned(2, "ds-hot")
                        .requests("ds-hot", 100_000)
                        .after(pinned())
                        .later(WINDOW)
                        .only()
                        .state())
                .as("a key that is not listed may have 1 % there")
                .isEqualTo(HotKeyState.PINNED);
    }

    @Test
    void whatItHadAtHomeInTheWindowCountsToo() {
        assertThat(serving(10)
                        .asked("ds-0", 2, 900)
                        .after(pinned())
                        .later(WINDOW)
                        .only()
                        .state())
                .isEqualTo(HotKeyState.PINNED);
    }

    @Test
    void aShardThatNobodyAsksForAnythingIsCold() {
        assertThat(new HotSight()
                        .pinned(2, "ds-hot")
                        .requests("ds-0", 0)
                        .requests("ds-1", 0)
                        .after(pinned())
                        .later(WINDOW)
                        .only()
                        .state())
                .isEqualTo(HotKeyState.COOLING_DOWN);
    }

    @Test
    void missingFiguresCoolNothingDownAndEndNoCooldown() {
        assertThat(new HotSight()
                        .pinned(2, "ds-hot")
                        .uncovered()
                        .after(pinned())
                        .later(WINDOW)
                        .next())
                .isEqualTo(pinned());
        assertThat(new HotSight()
                        .pinned(2, "ds-hot")
                        .uncovered()
                        .after(coolingDown())
                        .later(COOLDOWN.multipliedBy(2))
                        .next())
                .isEqualTo(coolingDown());
        assertThat(serving(900)
                        .uncovered()
                        .after(coolingDown())
                        .later(WINDOW.plus(MOMENT))
                        .next())
                .isEqualTo(coolingDown());
    }

    @Test
    void aKeyThatBecomesWarmAgainStays() {
        HotKey warm =
                serving(334).after(coolingDown()).later(WINDOW.plus(MOMENT)).only();

        assertThat(warm.state()).isEqualTo(HotKeyState.PINNED);
        assertThat(warm.since()).isEqualTo(NOON.plus(WINDOW).plus(MOMENT));
    }

    @Test
    void afterTheCooldownThePlanTakesItHome() {
        HotKey waits = serving(100)
                .after(coolingDown())
                .later(WINDOW.plus(COOLDOWN).minus(MOMENT))
                .only();
        HotKey home = goingHome().getFirst();

        assertThat(waits.reason()).isEqualTo(HotKeyReason.BELOW_HALF);
        assertThat(waits.isWanted()).isTrue();
        assertThat(home.state()).isEqualTo(HotKeyState.COOLING_DOWN);
        assertThat(home.reason()).isEqualTo(HotKeyReason.GOING_HOME);
        assertThat(home.isWanted()).isFalse();
        assertThat(serving(100)
                        .after(coolingDown())
                        .later(WINDOW.plus(COOLDOWN))
                        .planUnderWay()
                        .only()
                        .isWanted())
                .isTrue();
    }

    @Test
    void aKeyOnItsWayHomeStaysWhenItIsCertainlyWarmBeforeItHasLeft() {
        Duration then = WINDOW.plus(COOLDOWN).plus(MOMENT);

        assertThat(serving(334).after(goingHome()).later(then).only().reason()).isEqualTo(HotKeyReason.SERVED);
        assertThat(serving(333).after(goingHome()).later(then).only().reason()).isEqualTo(HotKeyReason.GOING_HOME);
        assertThat(serving(334)
                        .after(goingHome())
                        .later(then)
                        .planUnderWay()
                        .only()
                        .reason())
                .as("its move runs")
                .isEqualTo(HotKeyReason.GOING_HOME);
        assertThat(serving(334)
                        .after(goingHome())
                        .later(then)
                        .uncovered()
                        .only()
                        .reason())
                .isEqualTo(HotKeyReason.GOING_HOME);
    }

    @Test
    void aKeyThatIsHomeIsNotProposedAnewBeforeTheCooldownIsOver() {
        Duration home = WINDOW.plus(COOLDOWN).plus(MOMENT);
        List<HotKey> back =
                HotKeyPlannerTest.hot().after(goingHome()).later(home).next();

        assertThat(back.getFirst().state()).isEqualTo(HotKeyState.CANDIDATE);
        assertThat(back.getFirst().reason()).isEqualTo(HotKeyReason.COOLDOWN);
        assertThat(back.getFirst().shard()).isEqualTo("ds-0");
        assertThat(back.getFirst().formerShard()).isEmpty();
        assertThat(HotKeyPlannerTest.hot()
                        .after(back)
                        .later(home.plus(COOLDOWN).minus(MOMENT))
                        .only()
                        .reason())
                .isEqualTo(HotKeyReason.COOLDOWN);
        assertThat(HotKeyPlannerTest.hot()
                        .after(back)
                        .later(home.plus(COOLDOWN))
                        .only()
                        .state())
                .isEqualTo(HotKeyState.PROPOSED);
        assertThat(new HotSight().after(back).later(home.plus(COOLDOWN)).next()).isEmpty();
        assertThat(new HotSight().after(back).later(home).only().reason()).isEqualTo(HotKeyReason.COOLDOWN);
    }

    @Test
    void aShardThatTakesNoKeysAnyMoreIsLeftForAnotherTarget() {
        HotKey next = serving(900)
                .dedicated("ds-hot", 0)
                .after(pinned())
                .later(MOMENT)
                .only();

        assertThat(next.state()).isEqualTo(HotKeyState.PROPOSED);
        assertThat(next.reason()).isEqualTo(HotKeyReason.TARGET_CHANGED);
        assertThat(next.shard()).isEqualTo("ds-hot");
        assertThat(next.target()).contains("ds-warm");
        HotKey there = serving(900)
                .dedicated("ds-hot", 0)
                .after(List.of(next))
                .pinned(2, "ds-warm")
                .only();
        assertThat(there.state()).isEqualTo(HotKeyState.PINNED);
        assertThat(there.formerShard()).as("where it was hot").contains("ds-0");
    }

    @Test
    void withoutAnotherTargetItGoesHomeUnlessItsShardTakesKeysAgain() {
        HotKey homeward = serving(900)
                .dedicated("ds-hot", 0)
                .without("ds-warm")
                .after(pinned())
                .only();

        assertThat(homeward.reason()).isEqualTo(HotKeyReason.NO_TARGET);
        assertThat(homeward.isWanted()).isFalse();
        assertThat(serving(900).after(List.of(homeward)).only().isWanted()).isTrue();
    }

    @Test
    void aKeyBetweenTwoTargetsStaysWhereItIsWhenTheNewOneIsGone() {
        List<HotKey> between =
                serving(900).dedicated("ds-hot", 0).after(pinned()).next();

        assertThat(serving(900).dedicated("ds-hot", 0).after(between).only().state())
                .isEqualTo(HotKeyState.PROPOSED);
        HotKey back = serving(900).without("ds-warm").after(between).only();
        assertThat(back.state()).isEqualTo(HotKeyState.PINNED);
        assertThat(back.target()).contains("ds-hot");
        assertThat(serving(900)
                        .dedicated("ds-hot", 0)
                        .without("ds-warm")
                        .after(between)
                        .only()
                        .reason())
                .isEqualTo(HotKeyReason.NO_TARGET);
    }

    @Test
    void aShardThatHasLeftTheTargetsKeepsItsKeys() {
        assertThat(serving(900).targets("ds-warm").after(pinned()).next()).isEqualTo(pinned());
    }

    @Test
    void aKeyThatSomebodyHasMovedToAnotherDedicatedShardIsServedThere() {
        HotKey key = new HotSight()
                .pinned(2, "ds-warm")
                .requests("ds-warm", 1_000)
                .asked("ds-warm", 2, 900)
                .after(pinned())
                .only();

        assertThat(key.shard()).isEqualTo("ds-warm");
        assertThat(key.target()).contains("ds-warm");
        assertThat(key.state()).isEqualTo(HotKeyState.PINNED);
    }

    @Test
    void aPersonWhoPinsItInTheSpecTakesItOver() {
        assertThat(serving(900).pin(2, "ds-hot").after(pinned()).next()).isEmpty();
    }
}
