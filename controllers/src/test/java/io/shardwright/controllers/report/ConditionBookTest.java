package io.shardwright.controllers.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import java.time.Instant;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConditionBookTest {
    private static final Set<ConditionType> TOLD = EnumSet.of(ConditionType.FENCE_INSTALLED);

    @ParameterizedTest
    @CsvSource({
        "INSTALLING,Normal",
        "ADOPTING,Normal",
        "OBSERVING,Normal",
        "MISPLACED_KEYS,Warning",
        "FENCE_DAMAGED,Warning"
    })
    void warnsOfFaultsAndNotOfWorkInHand(Reason reason, String type) {
        List<Condition> now = List.of(Condition.of(
                ConditionType.FENCE_INSTALLED, ConditionStatus.FALSE, reason, reason.meaning(), 1L, Instant.EPOCH));

        assertThat(ConditionBook.transitions(List.of(), now, TOLD, TOLD))
                .extracting(Transition::type, Transition::reason)
                .containsExactly(org.assertj.core.groups.Tuple.tuple(type, reason.wire()));
    }
}
