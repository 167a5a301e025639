package io.shardwright.plugin.intent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.shardwright.plugin.Refusal;
import io.shardwright.plugin.Shop;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class IntentDecisionTest {
    @Test
    void anIntentThatIsThereAlreadyIsNotWrittenAgain() {
        assertThat(IntentDecision.changes(Shop.move("Pause", "{phase: Paused}"), Verb.PAUSE, false))
                .isFalse();
        assertThat(IntentDecision.changes(Shop.move("Run", "{phase: Copying}"), Verb.PAUSE, false))
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    void aMoveWithoutAStatusCanBeGivenEveryIntentAsFarAsThePluginGoes(Verb verb) {
        assertThat(IntentDecision.changes(Shop.move("Run", "{}"), verb, false)).isEqualTo(verb != Verb.RESUME);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Succeeded", "Reversed", "Aborted", "Failed"})
    void nothingIsSetOfAMoveThatHasEnded(String phase) {
        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> IntentDecision.changes(Shop.move("Run", "{phase: " + phase + "}"), Verb.ABORT, false))
                .satisfies(refusal -> {
                    assertThat(refusal).hasMessageContaining("has ended (" + phase + "): there is nothing to abort");
                    assertThat(refusal.nextAction()).contains("create a new BucketMove");
                });
    }

    @Test
    void resumeDoesNotGiveUpAWayBackByAccident() {
        var paused = Shop.move("Pause", "{phase: Paused, reversal: {phase: Paused}}");

        assertThatExceptionOfType(Refusal.class)
                .isThrownBy(() -> IntentDecision.changes(paused, Verb.RESUME, false))
                .satisfies(refusal -> {
                    assertThat(refusal).hasMessageContaining("what has not gone back would stay on ds-4");
                    assertThat(refusal.nextAction())
                            .contains("kubectl shardwright reverse " + Shop.MOVE, "--give-up-reversal");
                });
        assertThat(IntentDecision.changes(paused, Verb.RESUME, true)).isTrue();
        assertThat(IntentDecision.changes(paused, Verb.REVERSE, false)).isTrue();
    }

    @Test
    void aReversalThatHasEndedKeepsNobodyFromResuming() {
        assertThat(IntentDecision.changes(
                        Shop.move("Pause", "{phase: Paused, reversal: {phase: Aborted}}"), Verb.RESUME, false))
                .isTrue();
    }
}
