package io.shardwright.planning.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The move protocol, searched exhaustively in small scopes: one owner at most (I1), the owner has every acknowledged write
 * (I2), a stale router never reads a cleaned source (I9), and from every state an owner can be reached. A search that finds
 * nothing proves little unless it can find something: each rule taken away must give a counter-example.
 *
 * <p>Rules and model change together: whoever changes a step of the protocol changes it here too.
 */
class MoveModelTest {
    private static final int LIMIT = 8_000_000;

    @Test
    void statementByStatementNoWriteIsLostAndNobodyIsStuck() {
        StateSearch.Outcome outcome =
                search("2 writers, 2 writes, 2 movers, 2 crashes", switchModel(SwitchMutant.NONE, 2));

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(150_000);
    }

    @Test
    void overFailoversOfBothSidesNoWriteIsLostAndNobodyIsStuck() {
        StateSearch.Outcome outcome =
                search("1 write, failover of both sides, takeover", new FailoverModel(FailoverMutant.NONE, 1, 1));

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(200_000);
    }

    @Test
    void aTargetThatLosesThePreparationLeavesNobodyStuck() {
        StateSearch.Outcome outcome = search(
                "1 write, step 2 can be lost",
                new FailoverModel(FailoverMutant.NONE, 1, 1).withPreparationThatCanBeLost());

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(200_000);
    }

    @ParameterizedTest
    @EnumSource(value = SwitchMutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachRuleOfTheSwitchIsNeeded(SwitchMutant mutant) {
        assertThat(search(mutant.name(), new SwitchModel(mutant, 1, 0)).fault())
                .as("a counter-example without the rule of %s", mutant)
                .isPresent();
    }

    @ParameterizedTest
    @EnumSource(value = FailoverMutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachRuleAboutLostCommitsIsNeeded(FailoverMutant mutant) {
        int writes = mutant == FailoverMutant.SLOTKEPT ? 2 : 1;
        FailoverModel model = new FailoverModel(mutant, 1, writes);

        assertThat(search(
                                mutant.name(),
                                mutant == FailoverMutant.NOABSENT ? model.withPreparationThatCanBeLost() : model)
                        .fault())
                .as("a counter-example without the rule of %s", mutant)
                .isPresent();
    }

    @Test
    @Tag("long")
    void holdsWithMoreWritesAndCrashes() {
        assertThat(search("3 writes, 2 crashes", switchModel(SwitchMutant.NONE, 3))
                        .fault())
                .isEmpty();
        assertThat(search("2 writes, 3 crashes", new SwitchModel(SwitchMutant.NONE, 2, 3))
                        .fault())
                .isEmpty();
    }

    @Test
    @Tag("long")
    void holdsOverFailoversWithMoreWrites() {
        assertThat(search("2 writes, 1 writer", new FailoverModel(FailoverMutant.NONE, 1, 2))
                        .fault())
                .isEmpty();
        assertThat(search("2 writes, 2 writers", new FailoverModel(FailoverMutant.NONE, 2, 2))
                        .fault())
                .isEmpty();
    }

    private static SwitchModel switchModel(SwitchMutant mutant, int writes) {
        return new SwitchModel(mutant, writes, 2);
    }

    private static StateSearch.Outcome search(String scope, Model model) {
        StateSearch.Outcome outcome = StateSearch.run(model, LIMIT);
        System.out.println("move model, " + scope + ": " + outcome.states() + " states, "
                + outcome.fault().map(StateSearch.Fault::toString).orElse("no fault"));
        return outcome;
    }
}
