package io.shardwright.planning.model;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.model.OverrideModel.Extra;
import io.shardwright.planning.model.SwitchModel.Source;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The move protocol, searched exhaustively in small scopes: one owner at most (I1), the owner has every acknowledged write
 * (I2), a stale router never reads a cleaned source (I9), and from every state an owner can be reached. A search that finds
 * nothing proves little unless it can find something: each rule taken away must give a counter-example.
 *
 * <p>{@link SwitchModel}: how writers pass the fence, the switch with two movers, cleanup with acknowledgements, and a source
 * that takes no writes after its fence. {@link FailoverModel}: commits that a failover takes away, on the way there and, with the
 * sides swapped, on the way back, and from such a source. {@link
 * ReversalModel}: the way back from its first slot to its end, with zombies of both ways. {@link DemotionModel}: two owners,
 * where a commit may be lost that a step has relied on, and how the older one is closed. {@link OverrideModel}: keys that
 * live apart from their bucket. Each search prints how many
 * states it has seen.
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

    @ParameterizedTest
    @EnumSource(value = Source.class, mode = EnumSource.Mode.EXCLUDE, names = "WRITABLE")
    void whereTheSourceTakesNoWritesNoWriteIsLostAndNobodyIsStuck(Source source) {
        StateSearch.Outcome outcome = search(
                "2 writers, 1 write, 2 movers, 1 crash, " + source,
                new SwitchModel(SwitchMutant.NONE, 1, 1).withSource(source));

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(100_000);
    }

    @Test
    void overFailoversOfBothSidesNoWriteIsLostAndNobodyIsStuck() {
        StateSearch.Outcome outcome =
                search("1 write, failover of both sides, takeover", new FailoverModel(FailoverMutant.NONE, 1, 1));

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(200_000);
    }

    @Test
    void overFailoversOfBothSidesASourceThatTakesNoWritesLosesNoneAndLeavesNobodyStuck() {
        StateSearch.Outcome outcome = search(
                "1 write, failover of both sides, a source that takes no writes for a while",
                new FailoverModel(FailoverMutant.NONE, 1, 1).withSourceThatStopsToTakeWrites());

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(500_000);
    }

    @Test
    void aTargetThatLosesThePreparationLeavesNobodyStuck() {
        StateSearch.Outcome outcome = search(
                "1 write, step 2 can be lost",
                new FailoverModel(FailoverMutant.NONE, 1, 1).withPreparationThatCanBeLost());

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(200_000);
    }

    @Test
    void thereAndBackWithTwoMoversThereNoWriteIsLostAndEveryMoveEnds() {
        StateSearch.Outcome outcome =
                search("there and back, 1 write, 2 movers each", new ReversalModel(ReversalMutant.NONE, 1, 2, 2));

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(500_000);
    }

    @Test
    void thereAndBackWithWritesOnBothShardsNoWriteIsLostAndEveryMoveEnds() {
        StateSearch.Outcome outcome =
                search("there and back, 2 writes, 1 mover there", new ReversalModel(ReversalMutant.NONE, 2, 1, 2));

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(500_000);
    }

    @Test
    void overFailoversOfBothSidesAReversalLosesNoWriteAndEnds() {
        StateSearch.Outcome outcome = search(
                "reversal, 1 write, failover of both sides, takeover",
                new FailoverModel(FailoverMutant.NONE, 1, 1).ofTheReversal());

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(10_000);
    }

    @Test
    void aSourceThatLosesTheBeginningOfAReversalLeavesNobodyStuck() {
        StateSearch.Outcome outcome = search(
                "reversal, 1 write, its beginning can be lost",
                new FailoverModel(FailoverMutant.NONE, 1, 1).ofTheReversal().withPreparationThatCanBeLost());

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(10_000);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofTwoOwnersTheOlderIsClosedAndNothingElseIsLost(boolean equalEpochs) {
        StateSearch.Outcome outcome = search(
                "two owners" + (equalEpochs ? " of the same epoch" : ""),
                new DemotionModel(DemotionMutant.NONE, equalEpochs));

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(equalEpochs ? 10 : 100);
    }

    @ParameterizedTest
    @CsvSource({"2, 1, 3, 1", "3, 1, 2, 1", "2, 2, 2, 1"})
    void keysThatLiveApartFromTheirBucketHaveOneOwnerAndAllWritesAndTheirMovesEnd(
            int shards, int hot, int moves, int writes) {
        StateSearch.Outcome outcome = search(
                shards + " shards, " + hot + " hot keys, " + moves + " moves",
                new OverrideModel(new OverrideModel.Scope(shards, hot, moves, writes), Extra.NOTHING));

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(70_000);
    }

    @Test
    void aFoldBackAndADeletionThatFrozenMoversSendLateDoNoHarm() {
        OverrideModel model = new OverrideModel(OverrideModel.Scope.THREE_MOVES, Extra.LATE_MOVERS);
        StateSearch.Outcome outcome = search("late fold backs and deletions", model);

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(10_000);
    }

    @Test
    void keysAndTheirBucketAreTakenBackWithoutALoss() {
        OverrideModel model = new OverrideModel(OverrideModel.Scope.SMALL, Extra.REVERSALS);
        StateSearch.Outcome outcome = search("reversals of keys and their bucket", model);

        assertThat(outcome.fault()).isEmpty();
        assertThat(outcome.states()).isGreaterThan(50_000);
    }

    @ParameterizedTest
    @EnumSource(value = OverrideMutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachRuleAboutKeysIsNeeded(OverrideMutant mutant) {
        assertThat(search(mutant.name(), new OverrideModel(mutant)).fault())
                .as("a counter-example without the rule of %s", mutant)
                .hasValueSatisfying(fault -> assertThat(fault.what()).startsWith(mutant.harm.name()));
    }

    @ParameterizedTest
    @EnumSource(value = DemotionMutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachRuleAboutTwoOwnersIsNeeded(DemotionMutant mutant) {
        assertThat(search(mutant.name(), new DemotionModel(mutant, mutant == DemotionMutant.EQUAL))
                        .fault())
                .as("a counter-example without the rule of %s", mutant)
                .isPresent();
    }

    @ParameterizedTest
    @EnumSource(value = SwitchMutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachRuleOfTheSwitchIsNeeded(SwitchMutant mutant) {
        assertThat(search(mutant.name(), withoutARuleOfTheSwitch(mutant)).fault())
                .as("a counter-example without the rule of %s", mutant)
                .isPresent();
    }

    private static SwitchModel withoutARuleOfTheSwitch(SwitchMutant mutant) {
        if (!mutant.ofReadOnlySource()) {
            return new SwitchModel(mutant, 1, 0);
        }
        return new SwitchModel(mutant, 1, 1)
                .withSource(mutant.stuckForEver() ? Source.READ_ONLY_FOR_EVER : Source.READ_ONLY_FOR_A_WHILE);
    }

    @ParameterizedTest
    @EnumSource(value = ReversalMutant.class, mode = EnumSource.Mode.EXCLUDE, names = "NONE")
    void eachRuleOfTheWayBackIsNeeded(ReversalMutant mutant) {
        int writes = mutant == ReversalMutant.REVERSELOOP ? 2 : 1;
        int tokens = mutant == ReversalMutant.NODETECT ? 3 : 2;

        assertThat(search(mutant.name(), new ReversalModel(mutant, writes, 1, tokens))
                        .fault())
                .as("a counter-example without the rule of %s", mutant)
                .isPresent();
    }

    @ParameterizedTest
    @EnumSource(
            value = FailoverMutant.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "BEGINUNCONFIRMED", "TOMBSTONELOCAL"})
    void eachRuleAboutLostCommitsIsNeeded(FailoverMutant mutant) {
        assertThat(search(mutant.name(), withoutARuleAboutLostCommits(mutant)).fault())
                .as("a counter-example without the rule of %s", mutant)
                .isPresent();
    }

    /**
     * A reversal neither deletes nor copies, so it has no use for the rules of step 2. Long: the same rules are taken away on the
     * way there in every run, and these searches cost half a minute.
     */
    @ParameterizedTest
    @Tag("long")
    @EnumSource(
            value = FailoverMutant.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"NONE", "ZOMBIE2", "KEEPPOS", "RESYNCUNCONFIRMED", "RESYNCREOPENED"})
    void eachRuleAboutLostCommitsIsNeededOnTheWayBack(FailoverMutant mutant) {
        assertThat(search(
                                "reversal, " + mutant.name(),
                                withoutARuleAboutLostCommits(mutant).ofTheReversal())
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

    @Test
    @Tag("long")
    void holdsThereAndBackWithMoreWritesAndMovers() {
        assertThat(search("there and back, 2 writes, 2 movers each", new ReversalModel(ReversalMutant.NONE, 2, 2, 2))
                        .fault())
                .isEmpty();
        assertThat(search("there and back, 3 writes, 1 mover there", new ReversalModel(ReversalMutant.NONE, 3, 1, 2))
                        .fault())
                .isEmpty();
        assertThat(search("there and back, 1 write, 3 movers back", new ReversalModel(ReversalMutant.NONE, 1, 2, 3))
                        .fault())
                .isEmpty();
    }

    @Test
    @Tag("long")
    void aReversalHoldsOverFailoversWithMoreWrites() {
        assertThat(search("reversal, 2 writes, 1 writer", new FailoverModel(FailoverMutant.NONE, 1, 2).ofTheReversal())
                        .fault())
                .isEmpty();
        assertThat(search("reversal, 2 writes, 2 writers", new FailoverModel(FailoverMutant.NONE, 2, 2).ofTheReversal())
                        .fault())
                .isEmpty();
    }

    @ParameterizedTest
    @Tag("long")
    @CsvSource({
        "3, 1, 3, 1, NOTHING",
        "2, 2, 3, 1, NOTHING",
        "2, 1, 3, 2, NOTHING",
        "3, 2, 3, 0, NOTHING",
        "3, 1, 4, 0, NOTHING",
        "3, 1, 3, 0, LATE_MOVERS",
        "3, 1, 2, 1, REVERSALS",
        "2, 1, 3, 1, REVERSALS"
    })
    void holdsWithMoreMovesOfKeys(int shards, int hot, int moves, int writes, Extra extra) {
        OverrideModel model = new OverrideModel(new OverrideModel.Scope(shards, hot, moves, writes), extra);

        assertThat(search(shards + " shards, " + hot + " hot keys, " + moves + " moves, " + extra, model)
                        .fault())
                .isEmpty();
    }

    private static FailoverModel withoutARuleAboutLostCommits(FailoverMutant mutant) {
        boolean two = mutant == FailoverMutant.SLOTKEPT || mutant == FailoverMutant.EARLYCONFIRM_NODETECT;
        FailoverModel model = new FailoverModel(mutant, 1, two ? 2 : 1);
        if (mutant.ofResync()) {
            return model.withSourceThatStopsToTakeWrites();
        }
        return mutant == FailoverMutant.NOABSENT ? model.withPreparationThatCanBeLost() : model;
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
