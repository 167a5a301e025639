package io.shardwright.plugin.intent;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.plugin.Shop;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class FollowingTest {
    private final StringWriter told = new StringWriter();
    private final Following following =
            new Following(new Goal(Verb.ABORT, 3), Shop.move("Abort", "{phase: Copying}"), new PrintWriter(told, true));

    @Test
    void eachChangeOfThePhaseIsToldOnce() {
        assertThat(following.test(Shop.move("Abort", "{phase: Copying}"))).isFalse();
        assertThat(following.test(Shop.move("Abort", "{phase: Aborting, observedGeneration: 3}")))
                .isFalse();
        assertThat(following.test(Shop.move("Abort", "{phase: Aborting, observedGeneration: 3}")))
                .isFalse();
        assertThat(following.test(Shop.move("Abort", "{phase: Aborted, observedGeneration: 3}")))
                .isTrue();

        assertThat(told.toString().lines())
                .containsExactly(Shop.MOVE + ": Copying -> Aborting", Shop.MOVE + ": Aborting -> Aborted");
        assertThat(following.end()).contains(new Goal.End(true, "it has ended: Aborted"));
    }

    @Test
    void whatTheOperatorAdvisesIsTheEndOfASentence() {
        assertThat(following.nextAction()).isEmpty();

        following.test(Shop.move("Abort", "{phase: Blocked, nextAction: end session 4711}"));

        assertThat(following.nextAction()).isEqualTo("; end session 4711");
    }
}
