package io.shardwright.planning.placement;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.Scope;
import io.shardwright.routing.ShardRole;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class PlanApprovalTest {
    private static final PlanInputs START = inputs("ds-0*4,ds-1*4", 100, Map.of());
    private static final String APPROVED = PlanHash.of(START);
    private static final List<Batch> MOVES = List.of(batch("ds-0", "ds-2", 3), batch("ds-1", "ds-2", 7));

    @Test
    void withoutAnApprovalThePlanWaits() {
        assertThat(PlanApproval.judge("", START, List.of(), Optional.empty()))
                .isEqualTo(new PlanApproval.AwaitingApproval(APPROVED));
    }

    @Test
    void theApprovedHashOfTheseInputsIsApproved() {
        assertThat(PlanApproval.judge(APPROVED, START, List.of(), Optional.empty()))
                .isEqualTo(new PlanApproval.Approved());
    }

    @Test
    void itStaysGoodWhileOnlyItsMovesChangeTheMap() {
        for (String owners : List.of("ds-0*4,ds-1*4", "ds-0*3,ds-2*1,ds-1*4", "ds-0*3,ds-2*1,ds-1*3,ds-2*1")) {
            assertThat(PlanApproval.judge(APPROVED, inputs(owners, 100, Map.of()), MOVES, Optional.empty()))
                    .as(owners)
                    .isEqualTo(new PlanApproval.InProgress(APPROVED));
        }
    }

    @Test
    void aChangedWeightMakesItVoidAndIsNamed() {
        PlanInputs now = inputs("ds-0*3,ds-2*1,ds-1*4", 50, Map.of());

        PlanApproval.Verdict verdict = PlanApproval.judge(APPROVED, now, MOVES, Optional.of(START));

        assertThat(verdict)
                .isEqualTo(
                        new PlanApproval.Void("since the approval shard ds-0 changed from General weight 100 to General"
                                + " weight 50: look at the new plan and approve its hash " + PlanHash.of(now)));
    }

    @Test
    void aForeignMoveAndANewPinMakeItVoid() {
        PlanInputs now = inputs("ds-0*3,ds-2*1,ds-1*3,ds-0*1", 100, Map.of("42", "ds-2"));

        assertThat(PlanApproval.judge(APPROVED, now, MOVES, Optional.of(START)))
                .isInstanceOfSatisfying(
                        PlanApproval.Void.class,
                        verdict -> assertThat(verdict.changed())
                                .startsWith(
                                        "since the approval bucket 7 changed from ds-1 to ds-0, pin 42 was added:"));
    }

    @Test
    void atMostFourChangesAreNamed() {
        PlanInputs four = inputs("ds-0*4,ds-1*4", 50, Map.of("1", "ds-2", "2", "ds-2", "3", "ds-2"));
        PlanInputs five = inputs("ds-0*4,ds-1*4", 50, Map.of("1", "ds-2", "2", "ds-2", "3", "ds-2", "4", "ds-2"));

        assertThat(changed(four)).endsWith(" weight 50, pin 1 was added, pin 2 was added, pin 3 was added");
        assertThat(changed(five)).endsWith(", pin 3 was added, and 1 more changes");
    }

    @Test
    void whatWasTakenAwayIsNamedToo() {
        SortedMap<String, PlanInputs.Shard> two = new TreeMap<>(START.shards());
        two.remove("ds-2");
        PlanInputs before = inputs("ds-0*4,ds-1*4", 100, Map.of("7", "ds-1"));

        assertThat(changed(new PlanInputs("orders", two, START.owners(), START.pins())))
                .isEqualTo("since the approval shard ds-2 was removed");
        assertThat(changed(before, START)).isEqualTo("since the approval pin 7 was removed");
        assertThat(changed(before, inputs("ds-0*4,ds-1*4", 100, Map.of("7", "ds-2"))))
                .isEqualTo("since the approval pin 7 changed from ds-1 to ds-2");
    }

    private static String changed(PlanInputs now) {
        return changed(START, now);
    }

    private static String changed(PlanInputs before, PlanInputs now) {
        var verdict = PlanApproval.judge(PlanHash.of(before), now, List.of(), Optional.of(before));
        return ((PlanApproval.Void) verdict).changed().replaceFirst(": look at the new plan.*", "");
    }

    /** A cluster that was made anew with fewer buckets has the moves of its predecessor before it. */
    @Test
    void aMoveOfABucketThatIsNotThereHasNotArrived() {
        List<Batch> moves = List.of(batch("ds-0", "ds-2", 8));

        assertThat(PlanApproval.judge("0123", START, moves, Optional.empty())).isInstanceOf(PlanApproval.Void.class);
    }

    @Test
    void anUnknownHashIsVoid() {
        assertThat(PlanApproval.judge("0123", START, List.of(), Optional.empty()))
                .isInstanceOfSatisfying(
                        PlanApproval.Void.class,
                        verdict -> assertThat(verdict.changed())
                                .startsWith("the approved hash is of no plan for the present shards"));
    }

    @Test
    void anApprovalThatWasUsedUpAsksForANewOne() {
        PlanInputs later = inputs("ds-0*3,ds-2*1,ds-1*3,ds-2*1", 50, Map.of());

        assertThat(PlanApproval.judge(APPROVED, later, MOVES, Optional.of(START)))
                .isEqualTo(new PlanApproval.AwaitingApproval(PlanHash.of(later)));
    }

    @Test
    void theHashIsOfTheDocumentedText() {
        PlanInputs inputs = inputs("ds-0*4,ds-1*4", 100, Map.of("a\nb\\", "ds-2"));

        assertThat(PlanHash.canonicalText(inputs)).isEqualTo("""
                        shardwright plan 1
                        cluster orders
                        shard ds-0 General 100
                        shard ds-1 General 100
                        shard ds-2 General 100
                        owners ds-0*4,ds-1*4
                        pin a\\nb\\\\ ds-2
                        """);
        assertThat(PlanHash.of(START)).isEqualTo("23f045e6fa02caab1f34001fadcb60a3fdd028d40221aa83fcc392582021c154");
    }

    @Test
    void everyInputChangesTheHash() {
        assertThat(List.of(
                        START,
                        inputs("ds-0*5,ds-1*3", 100, Map.of()),
                        inputs("ds-0*4,ds-1*4", 99, Map.of()),
                        inputs("ds-0*4,ds-1*4", 100, Map.of("1", "ds-2")),
                        new PlanInputs("invoices", START.shards(), START.owners(), START.pins()),
                        withDedicated()))
                .extracting(PlanHash::of)
                .doesNotHaveDuplicates();
    }

    private static PlanInputs withDedicated() {
        SortedMap<String, PlanInputs.Shard> shards = new TreeMap<>(START.shards());
        shards.put("ds-2", new PlanInputs.Shard(ShardRole.DEDICATED, 100));
        return new PlanInputs("orders", shards, START.owners(), START.pins());
    }

    private static PlanInputs inputs(String owners, int weightOfFirst, Map<String, String> pins) {
        SortedMap<String, PlanInputs.Shard> shards = new TreeMap<>();
        shards.put("ds-0", PlanInputs.Shard.general(weightOfFirst));
        shards.put("ds-1", PlanInputs.Shard.general(100));
        shards.put("ds-2", PlanInputs.Shard.general(100));
        return new PlanInputs("orders", shards, RunLengthMap.parse(owners, 8, name -> name), keys(pins));
    }

    /** All of bucket 0. */
    private static SortedMap<Scope, String> keys(Map<String, String> pins) {
        SortedMap<Scope, String> keys = new TreeMap<>();
        pins.forEach((key, shard) -> keys.put(Scope.key(key, 0), shard));
        return keys;
    }

    private static Batch batch(String from, String to, Integer... buckets) {
        return new Batch(from, to, Scope.buckets(buckets));
    }

    private static PlanInputs pinned(PlanInputs inputs, Map<String, String> pinned) {
        return new PlanInputs(inputs.cluster(), inputs.shards(), inputs.owners(), inputs.pins(), keys(pinned));
    }

    @Test
    void anApprovalOfKeysStaysGoodWhileTheyArriveAndGoBack() {
        PlanInputs wanted = pinned(inputs("ds-0*4,ds-1*4", 100, Map.of("42", "ds-2")), Map.of("7", "ds-2"));
        List<Batch> moves = List.of(
                new Batch("ds-0", "ds-2", new TreeSet<>(keys(Map.of("42", "")).keySet())),
                new Batch("ds-2", "ds-0", new TreeSet<>(keys(Map.of("7", "")).keySet())));
        String approved = PlanHash.of(wanted);

        for (Map<String, String> now : List.of(
                Map.of("7", "ds-2"),
                Map.of("7", "ds-2", "42", "ds-2"),
                Map.of("42", "ds-2"),
                Map.<String, String>of())) {
            assertThat(PlanApproval.judge(approved, pinned(wanted, now), moves, Optional.empty()))
                    .as("keys with a shard of their own: %s", now)
                    .isEqualTo(new PlanApproval.InProgress(approved));
        }
        assertThat(PlanApproval.judge(approved, pinned(wanted, Map.of("7", "ds-1")), moves, Optional.of(wanted)))
                .isInstanceOfSatisfying(
                        PlanApproval.Void.class,
                        verdict -> assertThat(verdict.changed())
                                .startsWith("since the approval the shard of key 7 changed from ds-2 to ds-1:"));
    }

    @Test
    void whereKeysAreIsAPartOfTheHash() {
        PlanInputs now = pinned(inputs("ds-0*4,ds-1*4", 100, Map.of("42", "ds-2")), Map.of("7", "ds-2"));

        assertThat(PlanHash.canonicalText(now)).endsWith("pin 42 ds-2\npinned 7 ds-2\n");
    }

    @Test
    void aHiddenKeyHasTheSameHashAndIsNotSpelt() {
        PlanInputs shown = inputs("ds-0*4,ds-1*4", 100, Map.of("kim", "ds-2"));
        PlanInputs hidden = new PlanInputs(
                "orders",
                shown.shards(),
                shown.owners(),
                new TreeMap<>(Map.of(Scope.key("kim", 0).hidden(), "ds-2")));

        assertThat(PlanHash.of(hidden)).isEqualTo(PlanHash.of(shown));
        assertThat(changed(START, hidden))
                .startsWith("since the approval pin sha256:")
                .doesNotContain("kim");
    }
}
