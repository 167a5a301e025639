package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.FenceState;
import java.sql.BatchUpdateException;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerdictTest {
    private static final String DETAIL =
            "{\"bucket\" : 17, \"state\" : \"MOVED\", \"owner\" : \"ds-4\", \"epoch\" : 12}";

    @Test
    void theDetailIsReadInWhateverLanguageTheDriverSpeaks() {
        for (String label : new String[] {"Detail", "Détail", "詳細"}) {
            SQLException error =
                    new SQLException("ERROR: stale route\n  " + label + ": " + DETAIL + "\n  Hint: look", "SH409");
            assertThat(Verdict.refusal(error, 3)).contains(new FenceRefusal(17, FenceState.MOVED, "ds-4", 12, null));
        }
    }

    @Test
    void aRefusalIsFoundBehindOtherErrors() {
        SQLException refused = new SQLException("x " + DETAIL, "SH409");
        BatchUpdateException batch = new BatchUpdateException("batch entry 0", "22000", new int[0]);
        batch.setNextException(refused);
        assertThat(Verdict.refusal(batch, 3)).isPresent();
        assertThat(Verdict.refusal(new SQLException("outer", "XX000", refused), 3))
                .isPresent();
        assertThat(Verdict.refusal(new SQLException("x " + DETAIL, "40001"), 3)).isEmpty();
    }

    @Test
    void aRefusalWithoutDetailNamesNobody() {
        FenceRefusal unnamed = new FenceRefusal(3, FenceState.ABSENT, null, 0, null);
        assertThat(Verdict.refusal(new SQLException("ERROR: not a primary", "SH409"), 3))
                .contains(unnamed);
        assertThat(Verdict.refusal(new SQLException("{no JSON}", "SH409"), 3)).contains(unnamed);
    }

    @ParameterizedTest(name = "{0}: {3}")
    @CsvSource({
        "08006, true, true, sent and no answer",
        "08007, true, true, resolution unknown",
        "57P01, true, true, terminated by an administrator",
        "08001, true, false, could not connect",
        "08003, true, false, was closed before",
        "57P03, true, false, the server is starting",
        "40001, false, false, an answer",
        "23505, false, false, an answer"
    })
    void knowsWhatALostConnectionLeavesOpen(String state, boolean lost, boolean unanswered, String why) {
        SQLException error = new SQLException(why, state);
        assertThat(Verdict.isLost(error)).isEqualTo(lost);
        assertThat(Verdict.isUnanswered(error)).isEqualTo(unanswered);
    }
}
