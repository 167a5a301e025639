package io.shardwright.planning.leftovers;

import static io.shardwright.planning.leftovers.Left.BACK;
import static io.shardwright.planning.leftovers.Left.GONE;
import static io.shardwright.planning.leftovers.Left.OTHER;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What of a move's leftovers goes next, pair of fence rows by pair. Moves go from S to T; their reversals from T to S. */
class SweepPlannerTest {
    static Stream<Arguments> cases() {
        return Stream.of(
                        whatGoes(),
                        whatGoesStepByStep(),
                        whatDecidesStill(),
                        whatIsInDoubt(),
                        whatIsOfKeys(),
                        whatOthersAreAtWorkWith(),
                        whatIsTold())
                .flatMap(rows -> rows);
    }

    private static Stream<Arguments> whatGoes() {
        return Stream.of(
                row("copied, and let go: the source's part first", copying(), "S: slot, claim and records []", ""),
                row(
                        "the source's part is gone: what was filled is decided against and emptied",
                        new Left().owned("S", 1, 4).importing("T", 1, 4, GONE).target("T", GONE, 1),
                        "T: 1 becomes ABORTED 4, [1] emptied",
                        ""),
                row(
                        "decided against, rows left",
                        new Left().owned("S", 1, 6).aborted("T", 1, 4, GONE).target("T", GONE, 1),
                        "T: [1] emptied",
                        ""),
                row(
                        "recorded, never begun: nothing but records",
                        new Left().owned("S", 1, 4).target("T", GONE, 1),
                        "T: records []",
                        ""),
                row(
                        "switched: slot and claim go, the record of the rows behind the tombstone stays",
                        new Left()
                                .moved("S", 1, 5, GONE)
                                .owned("T", 1, 5)
                                .source("S", GONE, 1)
                                .target("T", GONE, 1),
                        "S: slot, claim and records [1]",
                        ""),
                row(
                        "switched, and only the rows are left: nothing goes, and somebody is told",
                        new Left().moved("S", 1, 5, GONE).owned("T", 1, 5).records("S", GONE, 1),
                        "",
                        "S: rows of buckets [1] may lie behind their tombstones"),
                row(
                        "the bucket came back since: the record means nothing any more",
                        new Left().owned("S", 1, 9).moved("T", 1, 9, OTHER).records("S", GONE, 1),
                        "S: records []",
                        ""));
    }

    private static Stream<Arguments> whatGoesStepByStep() {
        return Stream.of(
                row(
                        "the target is another server now: the slot goes all the same",
                        new Left().owned("S", 1, 4).source("S", GONE, 1),
                        "S: slot, claim and records []",
                        ""),
                row(
                        "a way back that was open: it goes before the move",
                        new Left()
                                .moved("S", 1, 5, GONE)
                                .owned("T", 1, 5)
                                .source("S", GONE, 1)
                                .target("T", GONE, 1)
                                .source("T", BACK)
                                .target("S", BACK),
                        "T: slot, claim and records []",
                        ""),
                row(
                        "a reversal that had begun: the tombstone again, and no row is touched",
                        new Left()
                                .importing("S", 1, 5, BACK)
                                .owned("T", 1, 5)
                                .records("S", GONE, 1)
                                .target("S", BACK),
                        "S: 1 becomes MOVED 5",
                        ""),
                row(
                        "a reversal that was decided against: the tombstone with the owner's epoch",
                        new Left()
                                .aborted("S", 1, 5, BACK)
                                .owned("T", 1, 7)
                                .target("S", BACK)
                                .records("S", GONE, 1),
                        "S: 1 becomes MOVED 7",
                        ""));
    }

    private static Stream<Arguments> whatDecidesStill() {
        return Stream.of(
                row(
                        "taken back: the rows behind the other tombstone stay",
                        new Left()
                                .owned("S", 1, 6)
                                .moved("T", 1, 6, BACK)
                                .source("T", BACK, 1)
                                .target("S", BACK),
                        "T: slot, claim and records [1]",
                        ""),
                row(
                        "fenced and not activated: a scope without an owner",
                        new Left()
                                .moved("S", 1, 5, GONE)
                                .importing("T", 1, 4, GONE)
                                .source("S", GONE, 1)
                                .target("T", GONE, 1),
                        "",
                        "S: bucket 1 has no owner (S: MOVED epoch 5 to T, T: IMPORTING epoch 4)"),
                row(
                        "fenced and decided against, not reclaimed",
                        new Left()
                                .moved("S", 1, 5, GONE)
                                .aborted("T", 1, 4, GONE)
                                .target("T", GONE, 1),
                        "",
                        "S: bucket 1 has no owner"),
                row(
                        "fenced, and the target lost its row",
                        new Left().moved("S", 1, 5, GONE).source("S", GONE),
                        "",
                        "S: bucket 1 has no owner"),
                row(
                        "one bucket of the set has no owner: the slot is needed, whatever the others say",
                        copying().moved("S", 2, 5, GONE).importing("T", 2, 4, GONE),
                        "",
                        "S: bucket 2 has no owner"));
    }

    private static Stream<Arguments> whatIsInDoubt() {
        return Stream.of(
                row(
                        "a bucket that no fence knows any more",
                        new Left().source("S", GONE, 1),
                        "",
                        "S: bucket 1 has no owner ()"),
                row(
                        "two owners",
                        new Left().owned("S", 1, 4).owned("T", 1, 5).source("S", GONE, 1),
                        "",
                        "S: bucket 1 has several owners"),
                row(
                        "somebody reads the slot",
                        new Left().owned("S", 1, 4).read("S", GONE, 1).target("T", GONE, 1),
                        "",
                        "S: slot " + Left.slot(GONE)),
                row(
                        "an older owner that was closed, and the slot of its move: a person first",
                        new Left()
                                .moved("S", 1, 5, GONE)
                                .owned("T", 1, 5)
                                .source("S", GONE)
                                .demoted("S", GONE, 1),
                        "",
                        "S: shard S was closed as the older of two owners of buckets [1]"),
                row(
                        "a record of a kind that nobody knows",
                        new Left()
                                .owned("S", 1, 4)
                                .trace(new Trace(
                                        "S",
                                        GONE,
                                        true,
                                        false,
                                        false,
                                        Optional.empty(),
                                        new TreeSet<>(),
                                        new TreeSet<>(),
                                        List.of("origin x"),
                                        "token")),
                        "",
                        "S: records [origin x]"),
                row(
                        "filled without a record: never without one",
                        new Left().owned("S", 1, 4).importing("T", 1, 4, GONE).target("T", GONE),
                        "",
                        "T: bucket 1 is IMPORTING on shard T"));
    }

    private static Stream<Arguments> whatIsOfKeys() {
        return Stream.of(
                row(
                        "a slot for keys that are owned where it is: it goes, the rest is told",
                        new Left().owned("S", 1, 4).ofKeys("S", false, "rows k:x"),
                        "S: slot, claim and records []",
                        "S: records [rows k:x] of move " + GONE),
                row(
                        "a key that may have no owner: a person first",
                        new Left().owned("S", 1, 4).ofKeys("S", false, "rows k:x", "undecided k:x"),
                        "",
                        "S: records [rows k:x, undecided k:x] of move " + GONE),
                row(
                        "its slot is being read",
                        new Left().owned("S", 1, 4).ofKeys("S", true, "rows k:x"),
                        "",
                        "S: records [rows k:x] of move " + GONE),
                row(
                        "beside the keys something that nobody knows",
                        new Left().owned("S", 1, 4).ofKeys("S", false, "rows k:x", "origin x"),
                        "",
                        "S: records [rows k:x, origin x] of move " + GONE));
    }

    private static Stream<Arguments> whatOthersAreAtWorkWith() {
        return Stream.of(
                row(
                        "filled, and nothing at all is written down",
                        new Left().owned("S", 1, 4).importing("T", 1, 4, GONE),
                        "",
                        "T: bucket 1 is IMPORTING on shard T"),
                row(
                        "the owner was restored to an older day",
                        new Left().owned("S", 1, 3).importing("T", 1, 4, GONE).target("T", GONE, 1),
                        "",
                        "T: bucket 1: the owner's epoch is below"),
                row("the move lives", copying().live(GONE), "", ""),
                row(
                        "its reversal lives with it",
                        new Left()
                                .moved("S", 1, 5, GONE)
                                .owned("T", 1, 5)
                                .source("T", BACK)
                                .live(GONE),
                        "",
                        ""),
                row(
                        "another move switches the bucket just now",
                        new Left()
                                .moved("S", 1, 5, OTHER)
                                .importing("T", 1, 4, OTHER)
                                .source("S", GONE, 1)
                                .live(OTHER),
                        "",
                        ""),
                row(
                        "another move fills a third shard from the same owner",
                        copying().importing("U", 1, 4, OTHER).live(OTHER),
                        "",
                        ""));
    }

    private static Stream<Arguments> whatIsTold() {
        return Stream.of(
                row(
                        "a slot with our prefix and no record",
                        new Left().stranger("S", Left.slot(GONE)),
                        "",
                        "S: slot " + Left.slot(GONE) + " on shard S has our prefix and no record"),
                row(
                        "the same of a move that lives",
                        new Left().stranger("S", Left.slot(GONE)).live(GONE),
                        "",
                        ""));
    }

    private static Left copying() {
        return new Left()
                .owned("S", 1, 4)
                .importing("T", 1, 4, GONE)
                .source("S", GONE, 1)
                .target("T", GONE, 1);
    }

    private static Arguments row(String name, Left left, String due, String finding) {
        return Arguments.of(name, left, due, finding);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("cases")
    void decides(String name, Left left, String due, String finding) {
        SweepPlan plan = left.plan();

        assertThat(plan.due().stream().map(SweepPlannerTest::words).collect(Collectors.joining("; ")))
                .isEqualTo(due);
        if (finding.isEmpty()) {
            assertThat(plan.findings()).isEmpty();
        } else {
            assertThat(plan.findings())
                    .singleElement()
                    .satisfies(
                            one -> assertThat(one.shard() + ": " + one.seen()).startsWith(finding))
                    .satisfies(one -> assertThat(one.nextAction()).isNotBlank());
        }
        assertThat(left.first().due()).as("at first sight").isEmpty();
        assertThat(left.first().findings()).as("at first sight").isEmpty();
    }

    private static String words(SweepPlan.Sweep sweep) {
        String undone = sweep.undone().stream()
                .map(swap -> swap.to().bucket() + " becomes " + swap.to().state() + " "
                        + swap.to().epoch())
                .collect(Collectors.joining(", "));
        String emptied = sweep.emptied().isEmpty() ? "" : sweep.emptied() + " emptied";
        String rest = sweep.trace().isSource() ? "slot, claim and records " : "records ";
        String text = Stream.of(undone, emptied).filter(part -> !part.isEmpty()).collect(Collectors.joining(", "));
        return sweep.trace().shard() + ": " + (text.isEmpty() ? rest + sweep.kept() : text);
    }

    @Test
    void whatIsSweptBeforeAMinuteIsOverIsNothing() {
        SweepPlan early = SweepPlanner.plan(copying().seen(), copying().first().sightings(), Left.MINUTE - 1);

        assertThat(early.due()).isEmpty();
        assertThat(early.again()).isTrue();
    }

    @Test
    void nothingGoesWhileAShardIsSilentAndWhatIsLeftElsewhereIsTold() {
        LeftoverSight readable =
                new Left().owned("S", 1, 4).source("S", GONE, 1).seen();
        LeftoverSight lives = new Left().source("S", GONE, 1).live(GONE).seen();

        assertThat(SweepPlanner.blind(readable, List.of("T")))
                .singleElement()
                .satisfies(one -> assertThat(one.seen())
                        .contains("slot " + Left.slot(GONE), "log of shard S", "[T] cannot be read"));
        assertThat(SweepPlanner.blind(lives, List.of("T"))).isEmpty();
    }

    @Test
    void aMoverThatWorksBeginsTheMinuteAnew() {
        Left later = new Left()
                .owned("S", 1, 4)
                .importing("T", 1, 4, GONE)
                .trace(new Trace(
                        "S",
                        GONE,
                        true,
                        false,
                        true,
                        Optional.empty(),
                        new TreeSet<>(List.of(1)),
                        new TreeSet<>(),
                        List.of(),
                        "newer"))
                .target("T", GONE, 1);

        SweepPlan plan = SweepPlanner.plan(later.seen(), copying().first().sightings(), Left.MINUTE);

        assertThat(plan.due()).isEmpty();
        assertThat(plan.again()).isTrue();
    }

    @Test
    void whatWasNotSeenInBetweenBeginsAnew() {
        Sightings first = copying().first().sightings();
        Sightings none =
                SweepPlanner.plan(new Left().seen(), first, Left.MINUTE / 2).sightings();

        assertThat(SweepPlanner.plan(copying().seen(), none, Left.MINUTE).due()).isEmpty();
    }

    @Test
    void theTombstoneOfAReversalLeadsToTheOwner() {
        SweepPlan plan = new Left()
                .importing("S", 1, 5, BACK)
                .owned("T", 1, 5)
                .records("S", GONE, 1)
                .target("S", BACK)
                .plan();

        assertThat(plan.due())
                .singleElement()
                .satisfies(sweep -> assertThat(sweep.undone())
                        .singleElement()
                        .satisfies(swap -> assertThat(swap.to()).satisfies(row -> {
                            assertThat(row.state()).isEqualTo(FenceState.MOVED);
                            assertThat(row.owner()).isEqualTo("T");
                            assertThat(row.moveId()).isEqualTo(GONE);
                        })));
    }
}
