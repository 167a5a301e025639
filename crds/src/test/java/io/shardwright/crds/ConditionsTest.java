package io.shardwright.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConditionsTest {
    private static final Instant MORNING = Instant.parse("2026-03-01T08:00:00Z");
    private static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    @Test
    void keepsTheTimeOfAnUnchangedStatusAndTakesTheNewWords() {
        var stored = List.of(condition(ConditionType.READY, ConditionStatus.FALSE, Reason.MOVING, "5 of 20", MORNING));

        var next = Conditions.next(
                stored, List.of(condition(ConditionType.READY, ConditionStatus.FALSE, Reason.MOVING, "6 of 20", NOON)));

        assertThat(next).singleElement().satisfies(condition -> {
            assertThat(condition.message()).isEqualTo("6 of 20");
            assertThat(condition.lastTransitionTime()).isEqualTo(MORNING.toString());
        });
    }

    @Test
    void startsTheTimeAgainWhenTheStatusChanges() {
        var stored = List.of(condition(ConditionType.READY, ConditionStatus.FALSE, Reason.MOVING, "5 of 20", MORNING));

        var next = Conditions.next(
                stored, List.of(condition(ConditionType.READY, ConditionStatus.TRUE, Reason.SETTLED, "done", NOON)));

        assertThat(next)
                .singleElement()
                .extracting(Condition::lastTransitionTime)
                .isEqualTo(NOON.toString());
    }

    @Test
    void storesExactlyWhatIsWantedInAFixedOrder() {
        var stored = List.of(condition(ConditionType.VERIFIED, ConditionStatus.TRUE, Reason.VERIFIED, "", MORNING));
        var ready = condition(ConditionType.READY, ConditionStatus.FALSE, Reason.PENDING, "", NOON);
        var accepted = condition(ConditionType.ACCEPTED, ConditionStatus.TRUE, Reason.ACCEPTED, "", NOON);

        assertThat(Conditions.next(stored, List.of(ready, accepted))).containsExactly(accepted, ready);
    }

    @Test
    void anUnknownOrMissingConditionIsNeverTrue() {
        var unknown = List.of(condition(ConditionType.READY, ConditionStatus.UNKNOWN, Reason.NOT_OBSERVED, "", NOON));

        assertThat(Conditions.isTrue(unknown, ConditionType.READY)).isFalse();
        assertThat(Conditions.isTrue(List.of(), ConditionType.READY)).isFalse();
    }

    @Test
    void cutsAMessageThatTheApiServerWouldRefuse() {
        var condition = condition(ConditionType.READY, ConditionStatus.TRUE, Reason.SETTLED, "x".repeat(5_000), NOON);

        assertThat(condition.message()).hasSize(Condition.MESSAGE_MAX).endsWith("...");
    }

    @Test
    void everyReasonIsOneWordWithAMeaning() {
        assertThat(Reason.values()).allSatisfy(reason -> {
            assertThat(reason.wire()).matches("[A-Z][A-Za-z]*");
            assertThat(reason.meaning()).endsWith(".");
        });
        assertThat(Arrays.stream(Reason.values()).map(Reason::wire)).doesNotHaveDuplicates();
    }

    @Test
    void acknowledgementsCountOverAllRoles() {
        assertThat(Acks.of(1, 2, 3, 3)).isEqualTo(new Acks("1/2", "3/3", "4/5"));
        assertThatIllegalArgumentException().isThrownBy(() -> Acks.of(3, 2, 0, 0));
    }

    private static Condition condition(
            ConditionType type, ConditionStatus status, Reason reason, String message, Instant now) {
        return Condition.of(type, status, reason, message, 1L, now);
    }
}
