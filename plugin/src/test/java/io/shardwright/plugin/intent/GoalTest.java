package io.shardwright.plugin.intent;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.plugin.Shop;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** The generation that carries the intent is 3 everywhere. */
class GoalTest {
    @ParameterizedTest(name = "{0} of a move that is {1}: {2}")
    @CsvSource({
        "PAUSE,    Copying,      goes on",
        "PAUSE,    Switching,    goes on",
        "PAUSE,    Paused,       reached",
        "PAUSE,    Pending,      reached",
        "PAUSE,    Validating,   reached",
        "PAUSE,    Succeeded,    missed",
        "RESUME,   Paused,       goes on",
        "RESUME,   Copying,      reached",
        "RESUME,   Blocked,      reached",
        "RESUME,   Succeeded,    reached",
        "RESUME,   Failed,       missed",
        "ABORT,    Aborting,     goes on",
        "ABORT,    Publishing,   goes on",
        "ABORT,    Aborted,      reached",
        "ABORT,    Failed,       missed",
        "ABORT,    Succeeded,    missed",
        "ABORT,    Reversible,   missed",
        "ABORT,    CleaningUp,   missed",
        "REVERSE,  Reversing,    goes on",
        "REVERSE,  Reversible,   goes on",
        "REVERSE,  Reversed,     reached",
        "REVERSE,  Succeeded,    missed",
        "COMPLETE, Reversible,   goes on",
        "COMPLETE, CleaningUp,   goes on",
        "COMPLETE, Succeeded,    reached",
        "COMPLETE, Reversed,     missed",
        "PAUSE,    Hibernating,  goes on",
    })
    void endsByThePhase(Verb verb, String phase, String expected) {
        assertThat(outcome(verb, "{observedGeneration: 3, phase: " + phase + "}"))
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    void aPhaseOfAnOlderIntentSaysNothing(Verb verb) {
        assertThat(outcome(verb, "{observedGeneration: 2, phase: Paused}")).isEqualTo("goes on");
        assertThat(outcome(verb, "{observedGeneration: 2, phase: Copying}")).isEqualTo("goes on");
        assertThat(outcome(verb, "{phase: Paused}")).isEqualTo("goes on");
        assertThat(outcome(verb, "{}")).isEqualTo("goes on");
    }

    @Test
    void anEndIsAnEndWhateverWasObserved() {
        assertThat(outcome(Verb.PAUSE, "{observedGeneration: 2, phase: Succeeded}"))
                .isEqualTo("missed");
        assertThat(outcome(Verb.COMPLETE, "{observedGeneration: 2, phase: Succeeded}"))
                .isEqualTo("reached");
    }

    @ParameterizedTest
    @EnumSource(Verb.class)
    void aMoveThatIsGoneHasReachedNothing(Verb verb) {
        assertThat(new Goal(verb, 3).end(null)).contains(new Goal.End(false, "it was deleted"));
    }

    private static String outcome(Verb verb, String status) {
        Optional<Goal.End> end = new Goal(verb, 3).end(Shop.move("Run", status));
        return end.map(one -> one.reached() ? "reached" : "missed").orElse("goes on");
    }
}
