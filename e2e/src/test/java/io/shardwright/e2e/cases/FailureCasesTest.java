package io.shardwright.e2e.cases;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code docs/failure-cases.md} names tests that exist, says of what kind they are, and leaves no case out. */
class FailureCasesTest {
    private static final Path ROOT = Path.of("..");

    private static TestSources sources;
    private static String page;

    @BeforeAll
    static void read() throws IOException {
        sources = TestSources.below(ROOT);
        page = Files.readString(ROOT.resolve("docs/failure-cases.md"));
    }

    @Test
    void thePageCanBeBelieved() {
        assertThat(new FailureCases(page).faults(sources)).isEmpty();
    }

    @ParameterizedTest(name = "{2}")
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            ZombieIT#aFrozenMoverWakesUpAndItsStepFails | ZombieIT#aFrozenMoverWakesUpAndItsStepFalls | ZombieIT#aFrozenMoverWakesUpAndItsStepFalls is no test of this tree
            `FenceCrashIT#                              | `FenceCrushIT#                              | FenceCrushIT#aPreparedTransactionHoldsItsBucketOverACrashAndASessionDoesNot is no test of this tree
            `FenceDrainIT#unlockingEverything           | `FenceDrainIT#openShop`, `FenceDrainIT#unlockingEverything | FenceDrainIT#openShop is no test of this tree
            InTheCopyStartsItAgain` (long)              | InTheCopyStartsItAgain`                     | SourceFailoverIT#case13AFailoverInTheCopyStartsItAgain runs with make long only
            GoesOnWhenThereIsRoom` (long)               | GoesOnWhenThereIsRoom`                      | FullDiskE2E#aMoveToAFullDiskSaysSoAndGoesOnWhenThereIsRoom runs with make long only
            StandsAgainstIt`                            | StandsAgainstIt` (long)                     | ShardLookIT#namesWhatStandsAgainstIt runs with every make test
            tellsTheClassOf` (unit)                     | tellsTheClassOf`                            | ClassifierTest#tellsTheClassOf is a unit or a model
            StandsAgainstIt`                            | StandsAgainstIt` (unit)                     | ShardLookIT#namesWhatStandsAgainstIt runs on real servers
            tellsTheClassOf` (unit)                     | tellsTheClassOf` (unit, fast)               | ClassifierTest#tellsTheClassOf is marked fast, which means nothing
            """)
    void aFaultOfThePageIsFound(String right, String wrong, String fault) {
        assertThat(page).contains(right);
        assertThat(new FailureCases(page.replace(right, wrong)).faults(sources)).anyMatch(one -> one.startsWith(fault));
    }

    @Test
    void aCaseThatIsLeftOutOrThereTwiceIsFound() {
        assertThat(new FailureCases(page.replaceFirst("(?m)^\\| 24 \\|", "| 25 |")).faults(sources))
                .singleElement()
                .asString()
                .startsWith("the rows are [1, 2, ");
    }

    @Test
    void aCaseWithoutATestSaysThatItIsNotShownAndWhatIsMissing() {
        assertThat(withCase16("", "").faults(sources)).anyMatch(fault -> fault.contains("case 16 names no test"));
        assertThat(withCase16("not shown yet", "").faults(sources))
                .anyMatch(fault -> fault.contains("case 16 does not say what is missing"));
        assertThat(withCase16("not shown yet", "all of it").faults(sources)).isEmpty();
    }

    private static FailureCases withCase16(String shown, String missing) {
        return new FailureCases(
                page.replaceFirst("(?m)^\\| 16 \\|.*$", "| 16 | a case | holds | " + shown + " | " + missing + " |"));
    }
}
