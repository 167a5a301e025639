package io.shardwright.planning.hotkeys;

import static io.shardwright.planning.hotkeys.HotSight.COOLDOWN;
import static io.shardwright.planning.hotkeys.HotSight.NOON;
import static io.shardwright.planning.hotkeys.HotSight.WINDOW;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A key at home: found, proposed, or a candidate with the reason. */
class HotKeyPlannerTest {
    /** Key 2 has 30 % of the requests to ds-0. */
    static HotSight hot() {
        return new HotSight().asked("ds-0", 2, 900).neighboursTake("ds-0", 4_000);
    }

    @Test
    void aKeyAboveTheThresholdIsProposedForATarget() {
        HotKey key = hot().only();

        assertThat(key.key()).isEqualTo(HotSight.key(2));
        assertThat(key.state()).isEqualTo(HotKeyState.PROPOSED);
        assertThat(key.reason()).isEqualTo(HotKeyReason.ABOVE_THRESHOLD);
        assertThat(key.shard()).isEqualTo("ds-0");
        assertThat(key.target()).contains("ds-hot");
        assertThat(key.since()).isEqualTo(NOON);
        assertThat(key.percent()).hasValue(30);
        assertThat(key.before())
                .hasValueSatisfying(p95 -> assertThat(p95).isBetween(Duration.ofMillis(4), Duration.ofMillis(5)));
        assertThat(key.isWanted()).isTrue();
    }

    @ParameterizedTest(name = "{0} of 3000")
    @CsvSource({"599, false", "600, true"})
    void theThresholdItselfIsHot(long requests, boolean proposed) {
        assertThat(new HotSight().asked("ds-0", 2, requests).next().isEmpty()).isNotEqualTo(proposed);
    }

    @Test
    void anUpperBoundProposesNothing() {
        assertThat(new HotSight().asked("ds-0", 2, 599, 3_000).next()).isEmpty();
    }

    @Test
    void shardsAreJudgedOneByOne() {
        assertThat(new HotSight().asked("ds-0", 2, 300).asked("ds-1", 2, 900).next())
                .as("requests that went to a shard which does not have the key make it hot nowhere")
                .isEmpty();
    }

    @Test
    void aRouterThatIsNotHeardLeavesAHotKeyACandidate() {
        HotKey key = hot().uncovered().only();

        assertThat(key.state()).isEqualTo(HotKeyState.CANDIDATE);
        assertThat(key.reason()).isEqualTo(HotKeyReason.WINDOW_NOT_COVERED);
        assertThat(key.target()).isEmpty();
        assertThat(key.isWanted()).isFalse();
        assertThat(hot().after(List.of(key)).later(Duration.ofMinutes(1)).only().state())
                .isEqualTo(HotKeyState.PROPOSED);
    }

    @ParameterizedTest(name = "{0} requests in five minutes")
    @CsvSource({"299, CANDIDATE", "300, PROPOSED"})
    void sharesOfLessThanOneRequestPerSecondSayNothing(long requests, HotKeyState state) {
        HotKey key =
                new HotSight().requests("ds-0", requests).asked("ds-0", 2, 200).only();

        assertThat(key.state()).isEqualTo(state);
        if (state == HotKeyState.CANDIDATE) {
            assertThat(key.reason()).isEqualTo(HotKeyReason.FEW_REQUESTS);
        }
    }

    @Test
    void theHottestKeysComeFirstWhenMaxPinsIsReached() {
        List<HotKey> keys = new HotSight()
                .asked("ds-0", 1, 700)
                .asked("ds-0", 2, 800)
                .asked("ds-0", 3, 900)
                .maxPins(2)
                .next();

        assertThat(keys)
                .extracting(HotKey::reason)
                .containsExactly(HotKeyReason.MAX_PINS, HotKeyReason.ABOVE_THRESHOLD, HotKeyReason.ABOVE_THRESHOLD);
    }

    @Test
    void eachKeyGoesToTheTargetWithTheFewestPins() {
        assertThat(hot().pinned(7, "ds-hot").only().target()).contains("ds-warm");
        assertThat(hot().pin(7, "ds-hot")
                        .pin(6, "ds-hot")
                        .pinned(5, "ds-warm")
                        .only()
                        .target())
                .as("a pin of the spec counts before its key has arrived")
                .contains("ds-warm");
        assertThat(new HotSight().asked("ds-0", 1, 700).asked("ds-0", 2, 800).next())
                .extracting(key -> key.target().orElseThrow())
                .containsExactly("ds-warm", "ds-hot");
    }

    @Test
    void withoutATargetThatTakesKeysAHotKeyWaits() {
        assertThat(hot().targets().only().reason()).isEqualTo(HotKeyReason.NO_TARGET);
        assertThat(hot().targets("ds-1", "ds-9").only().reason()).isEqualTo(HotKeyReason.NO_TARGET);
        assertThat(hot().dedicated("ds-hot", 0).only().target()).contains("ds-warm");
        assertThat(hot().dedicated("ds-hot", 0).without("ds-warm").only().reason())
                .isEqualTo(HotKeyReason.NO_TARGET);
    }

    @Test
    void aPlanThatIsUnderWayIsNotMadeVoidByAProposal() {
        HotKey waiting = hot().planUnderWay().only();

        assertThat(waiting.reason()).isEqualTo(HotKeyReason.PLAN_UNDER_WAY);
        assertThat(hot().after(List.of(waiting)).only().state()).isEqualTo(HotKeyState.PROPOSED);
    }

    @Test
    void aKeyThatThePinsOfTheSpecHaveIsTheirs() {
        assertThat(hot().pin(2, "ds-warm").only().reason()).isEqualTo(HotKeyReason.PINNED_BY_SPEC);
        assertThat(hot().pin(2, "ds-warm").after(hot().next()).only().state()).isEqualTo(HotKeyState.CANDIDATE);
        assertThat(hot().pin(2, "ds-warm").pinned(2, "ds-warm").next()).isEmpty();
        assertThat(new HotSight()
                        .pin(2, "ds-warm")
                        .after(hot().uncovered().next())
                        .next())
                .isEmpty();
    }

    @Test
    void aCandidateStaysUntilItIsBelowHalfOfTheThreshold() {
        List<HotKey> candidate = hot().maxPins(0).next();

        HotKey lukewarm = new HotSight().asked("ds-0", 2, 300).after(candidate).only();
        assertThat(lukewarm.reason()).isEqualTo(HotKeyReason.BELOW_THRESHOLD);
        assertThat(lukewarm.percent()).hasValue(10);
        assertThat(new HotSight().asked("ds-0", 2, 299).after(candidate).next()).isEmpty();
        assertThat(new HotSight().after(candidate).uncovered().only().reason())
                .isEqualTo(HotKeyReason.WINDOW_NOT_COVERED);
    }

    @Test
    void aProposalStaysWhileTheKeyIsBetweenHotAndCold() {
        List<HotKey> proposed = hot().next();

        assertThat(new HotSight().asked("ds-0", 2, 300).after(proposed).only().state())
                .isEqualTo(HotKeyState.PROPOSED);
        assertThat(new HotSight()
                        .asked("ds-0", 2, 10, 300)
                        .after(proposed)
                        .only()
                        .state())
                .as("what it may have is not cold")
                .isEqualTo(HotKeyState.PROPOSED);
    }

    @Test
    void aProposalIsWithdrawnWhenTheKeyIsColdAndWaitsForTheCooldown() {
        List<HotKey> proposed = hot().next();

        HotKey withdrawn = new HotSight()
                .asked("ds-0", 2, 299)
                .after(proposed)
                .later(Duration.ofMinutes(1))
                .only();
        assertThat(withdrawn.state()).isEqualTo(HotKeyState.CANDIDATE);
        assertThat(withdrawn.reason()).isEqualTo(HotKeyReason.COOLDOWN);
        assertThat(withdrawn.since()).isEqualTo(NOON.plus(Duration.ofMinutes(1)));
        assertThat(new HotSight().after(proposed).uncovered().only().state()).isEqualTo(HotKeyState.PROPOSED);
        assertThat(new HotSight().after(proposed).planUnderWay().only().state()).isEqualTo(HotKeyState.PROPOSED);
    }

    @Test
    void aProposalFollowsItsKeyToAnotherTargetWhenItsOwnIsGone() {
        List<HotKey> proposed = hot().next();

        HotKey moved = hot().without("ds-hot")
                .after(proposed)
                .later(Duration.ofMinutes(1))
                .only();
        assertThat(moved.state()).isEqualTo(HotKeyState.PROPOSED);
        assertThat(moved.target()).contains("ds-warm");
        assertThat(moved.since()).isEqualTo(NOON);
        assertThat(hot().without("ds-hot")
                        .without("ds-warm")
                        .after(proposed)
                        .only()
                        .reason())
                .isEqualTo(HotKeyReason.NO_TARGET);
        assertThat(hot().targets("ds-warm").after(proposed).only().target())
                .as("a shard that has left the targets keeps what was promised to it")
                .contains("ds-hot");
    }

    @Test
    void aFigureIsWrittenAnewWhenItHasClearlyChanged() {
        List<HotKey> proposed = hot().next();

        assertThat(new HotSight().asked("ds-0", 2, 1_020).after(proposed).only().percent())
                .hasValue(30);
        assertThat(new HotSight().asked("ds-0", 2, 1_050).after(proposed).only().percent())
                .hasValue(35);
        assertThat(new HotSight()
                        .asked("ds-0", 2, 1_050)
                        .uncovered()
                        .after(proposed)
                        .only()
                        .percent())
                .hasValue(30);
    }

    @Test
    void onlySoManyCandidatesAreKeptTheHottestAndThoseThatCoolDown() {
        HotKey cooling = HotKey.candidate(HotSight.key(8_001), HotKeyReason.COOLDOWN, "ds-0", NOON)
                .withPercent(OptionalInt.of(0));
        HotSight many = new HotSight()
                .maxPins(0)
                .requests("ds-0", 1_000)
                .requests("ds-1", 1_000)
                .after(List.of(cooling));
        IntStream.range(0, 120).forEach(key -> many.asked(key % 8 < 4 ? "ds-0" : "ds-1", key, 300 + key));

        List<HotKey> kept = many.next();

        assertThat(kept)
                .hasSize(HotKeyPlanner.MOST_CANDIDATES)
                .extracting(HotKey::key)
                .contains(HotSight.key(8_001));
        assertThat(kept).extracting(HotKey::key).contains(HotSight.key(119)).doesNotContain(HotSight.key(0));
    }

    @Test
    void whenDetectionIsOffOnlyWhatHasAShardOfItsOwnIsRemembered() {
        List<HotKey> proposed = hot().next();

        assertThat(hot().off().next()).isEmpty();
        assertThat(hot().off().after(proposed).next()).isEmpty();
        HotKey pinned = hot().pinned(2, "ds-hot").off().after(proposed).only();
        assertThat(pinned.state()).isEqualTo(HotKeyState.PINNED);
        assertThat(pinned.reason()).isEqualTo(HotKeyReason.DETECTION_OFF);
        assertThat(pinned.isWanted()).isFalse();
        assertThat(hot().pinned(2, "ds-hot")
                        .pin(2, "ds-hot")
                        .off()
                        .after(proposed)
                        .next())
                .isEmpty();
    }

    @Test
    void aKeyThatGoesHomeAfterDetectionWasTurnedOffStaysWhenItIsTurnedOnAgain() {
        List<HotKey> leaving =
                hot().pinned(2, "ds-hot").off().after(hot().next()).next();

        HotKey back = new HotSight()
                .pinned(2, "ds-hot")
                .asked("ds-hot", 2, 900)
                .after(leaving)
                .only();
        assertThat(back.reason()).isEqualTo(HotKeyReason.SERVED);
        assertThat(back.isWanted()).isTrue();
        assertThat(new HotSight()
                        .pinned(2, "ds-hot")
                        .planUnderWay()
                        .after(leaving)
                        .only()
                        .isWanted())
                .isFalse();
    }

    @Test
    void wordsOfTheStatusAreReadAsTheyAreWritten() {
        for (HotKeyState state : HotKeyState.values()) {
            assertThat(HotKeyState.fromWire(state.wire())).isEqualTo(state);
        }
        for (HotKeyReason reason : HotKeyReason.values()) {
            assertThat(HotKeyReason.fromWire(reason.wire())).contains(reason);
            assertThat(reason.meaning()).endsWith(".");
        }
        assertThat(HotKeyReason.fromWire("Later")).isEqualTo(Optional.empty());
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> HotKeyState.fromWire("Later"))
                .hasMessageContaining("Later");
        assertThat(WINDOW).isLessThan(COOLDOWN);
    }
}
