package io.shardwright.routing;

import static io.shardwright.routing.Tables.four;
import static io.shardwright.routing.Tables.handing;
import static io.shardwright.routing.Tables.listing;
import static io.shardwright.routing.Tables.mapped;
import static io.shardwright.routing.Tables.of;
import static io.shardwright.routing.Tables.ordered;
import static io.shardwright.routing.Tables.pinned;
import static io.shardwright.routing.Tables.writtenBy;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class TableInvariantsTest {
    private static final Handover BUCKET_3 = Handover.ofBuckets(Map.of(3, 2L), "ds-4");

    static List<Arguments> tablesThatBreakARuleByThemselves() {
        RoutingTable table = four();
        RunLengthMap<String> owners = table.bucketMap();
        RunLengthMap<Long> epochs = table.epochs();
        return List.of(
                broken("a bucket without owner", TableRule.MAP, mapped(table, RunLengthMap.filled(99, "ds-0"), epochs)),
                broken("a bucket without epoch", TableRule.MAP, mapped(table, owners, RunLengthMap.filled(99, 1L))),
                broken("an owner that is not listed", TableRule.SHARDS, mapped(table, owners.with(5, "ds-9"), epochs)),
                broken("a pin to a shard that is not listed", TableRule.SHARDS, pinned(table, Map.of("42", "ds-9"))),
                broken(
                        "a handover to a shard that is not listed",
                        TableRule.SHARDS,
                        handing(table, Handover.ofBuckets(Map.of(3, 2L), "ds-9"))),
                broken("a shard without port", TableRule.SHARDS, with(table, "ds-4", "ds-4.db", 0)),
                broken("a shard with a port that is none", TableRule.SHARDS, with(table, "ds-4", "ds-4.db", 65_536)),
                broken("a shard without host", TableRule.SHARDS, with(table, "ds-4", " ", 5432)),
                broken("a shard without name", TableRule.BLANK, with(table, "", "x", 5432)),
                broken(
                        "no cluster",
                        TableRule.BLANK,
                        of(table, " ", table.engine(), table.keyType(), table.bucketing())),
                broken(
                        "no engine",
                        TableRule.BLANK,
                        of(table, table.cluster(), "", table.keyType(), table.bucketing())),
                broken("a pin that no key can meet", TableRule.PINS, pinned(table, Map.of("042", "ds-hot"))),
                broken("a pin of another type", TableRule.PINS, pinned(table, Map.of("x", "ds-hot"))));
    }

    static List<Arguments> handoversThatBreakARule() {
        RoutingTable table = four();
        return List.of(
                broken(
                        "a handover of nothing",
                        TableRule.HANDOVERS,
                        handing(table, Handover.ofBuckets(Map.of(), "ds-4"))),
                broken(
                        "a handover of a bucket and a key",
                        TableRule.HANDOVERS,
                        handing(table, Handover.announced(Map.of(Scope.bucket(3), 2L, Scope.key("7", 7), 2L), "ds-4"))),
                broken(
                        "a handover of a key in another spelling",
                        TableRule.HANDOVERS,
                        handing(table, Handover.announced(Map.of(Scope.key("07", 7), 2L), "ds-4"))),
                broken(
                        "a key in two handovers",
                        TableRule.HANDOVERS,
                        handing(
                                table,
                                Handover.announced(Map.of(Scope.key("7", 7), 2L), "ds-4"),
                                Handover.announced(Map.of(Scope.key("7", 7), 2L), "ds-3"))),
                broken(
                        "a handover of a bucket that does not exist",
                        TableRule.HANDOVERS,
                        handing(table, Handover.ofBuckets(Map.of(100, 2L), "ds-4"))),
                broken(
                        "a handover of a bucket below the first",
                        TableRule.HANDOVERS,
                        handing(table, Handover.ofBuckets(Map.of(-1, 2L), "ds-4"))),
                broken(
                        "a handover of a bucket without epoch",
                        TableRule.MAP,
                        handing(
                                mapped(table, table.bucketMap(), RunLengthMap.filled(99, 1L)),
                                Handover.ofBuckets(Map.of(99, 2L), "ds-4"))),
                broken("a bucket in two handovers", TableRule.HANDOVERS, handing(table, BUCKET_3, BUCKET_3)),
                broken(
                        "a handover below the epoch of the table",
                        TableRule.HANDOVERS,
                        handing(table, Handover.ofBuckets(Map.of(3, 0L), "ds-4"))),
                broken("web before workers", TableRule.T9, handing(table, BUCKET_3.visibleTo(Role.WEB))));
    }

    private static RoutingTable with(RoutingTable table, String shard, String host, int port) {
        TreeMap<String, ShardEntry> shards = new TreeMap<>(table.shards());
        shards.put(shard, new ShardEntry(ShardRole.GENERAL, host, port));
        return listing(table, shards);
    }

    private static Arguments broken(String name, TableRule rule, RoutingTable table) {
        return Arguments.argumentSet(name, rule, table);
    }

    @ParameterizedTest
    @MethodSource({"tablesThatBreakARuleByThemselves", "handoversThatBreakARule"})
    void namesTheRuleThatATableBreaks(TableRule rule, RoutingTable table) {
        assertThat(TableInvariants.check(null, table))
                .extracting(Violation::rule)
                .containsExactly(rule);
        assertThat(TableInvariants.checkWrite(null, table))
                .extracting(Violation::rule)
                .containsExactly(rule);
    }

    @Test
    void acceptsTheFirstAndTheLastOfWhatIsAllowed() {
        RoutingTable table = four();

        assertThat(List.of(
                        with(table, "ds-4", "ds-4.db", 1),
                        with(table, "ds-4", "ds-4.db", 65_535),
                        handing(table, Handover.ofBuckets(Map.of(0, 1L, 99, 1L), "ds-4"))))
                .allSatisfy(
                        good -> assertThat(TableInvariants.check(null, good)).isEmpty());
    }

    static List<Arguments> changes() {
        RoutingTable old = four();
        RoutingTable moved =
                mapped(old, old.bucketMap().with(3, "ds-4"), old.epochs().with(3, 2L));
        return List.of(
                change("the same document again", old, List.of(), List.of()),
                change("the next revision", ordered(moved, 1, 8, 10), List.of(), List.of()),
                change("a skipped revision", ordered(moved, 1, 9, 11), List.of(), List.of(TableRule.T3)),
                change(
                        "one revision with two contents",
                        ordered(moved, 1, 7, 10),
                        List.of(TableRule.T3),
                        List.of(TableRule.T3)),
                change("another generation only", ordered(old, 1, 7, 10), List.of(), List.of()),
                change("an older generation", ordered(old, 1, 7, 8), List.of(TableRule.ORDER), List.of()),
                change("a lower revision", ordered(moved, 1, 6, 10), List.of(TableRule.ORDER), List.of(TableRule.T3)),
                change("a claim by the next leader", writtenBy(ordered(old, 1, 7, 10), 4), List.of(), List.of()),
                change(
                        "a jump of the writer epoch",
                        writtenBy(ordered(old, 1, 8, 10), 5),
                        List.of(),
                        List.of(TableRule.T2)),
                change(
                        "an older leader",
                        writtenBy(ordered(moved, 1, 8, 10), 2),
                        List.of(TableRule.T2),
                        List.of(TableRule.T2)),
                change(
                        "a new incarnation starts its writer epochs anew",
                        writtenBy(ordered(moved, 2, 8, 1), 1),
                        List.of(),
                        List.of()),
                change(
                        "an older incarnation",
                        ordered(moved, 0, 8, 10),
                        List.of(TableRule.ORDER, TableRule.T12),
                        List.of(TableRule.T12)));
    }

    static List<Arguments> changesOfWhatNeverChanges() {
        RoutingTable old = four();
        return List.of(
                change(
                        "another cluster",
                        ordered(of(old, "users", old.engine(), old.keyType(), old.bucketing()), 1, 8, 10),
                        List.of(TableRule.T11),
                        List.of(TableRule.T11)),
                change(
                        "another engine",
                        ordered(of(old, old.cluster(), "MariaDB", old.keyType(), old.bucketing()), 1, 8, 10),
                        List.of(TableRule.T11),
                        List.of(TableRule.T11)),
                change(
                        "another key type",
                        ordered(of(old, old.cluster(), old.engine(), KeyType.STRING, old.bucketing()), 1, 8, 10),
                        List.of(TableRule.T11),
                        List.of(TableRule.T11)),
                change(
                        "another hash",
                        ordered(
                                of(
                                        old,
                                        old.cluster(),
                                        old.engine(),
                                        old.keyType(),
                                        new Bucketing(HashFunction.MD5, 100)),
                                1,
                                8,
                                10),
                        List.of(TableRule.T11),
                        List.of(TableRule.T11)));
    }

    private static Arguments change(
            String name, RoutingTable next, List<TableRule> readerRefuses, List<TableRule> writerMayNot) {
        return Arguments.argumentSet(name, next, readerRefuses, writerMayNot);
    }

    @ParameterizedTest
    @MethodSource({"changes", "changesOfWhatNeverChanges"})
    void namesTheRulesThatAChangeBreaks(
            RoutingTable next, List<TableRule> readerRefuses, List<TableRule> writerMayNot) {
        assertThat(TableInvariants.check(four(), next))
                .extracting(Violation::rule)
                .isEqualTo(readerRefuses);
        assertThat(TableInvariants.checkWrite(four(), next))
                .extracting(Violation::rule)
                .isEqualTo(writerMayNot);
    }

    @Test
    void acceptsAHandoverThatWorkersSeeFirst() {
        RoutingTable workers = handing(four(), BUCKET_3.visibleTo(Role.WORKER));
        RoutingTable both = handing(four(), BUCKET_3.visibleTo(Role.WORKER, Role.WEB));

        assertThat(TableInvariants.check(four(), ordered(workers, 1, 8, 10))).isEmpty();
        assertThat(TableInvariants.check(ordered(workers, 1, 8, 10), ordered(both, 1, 9, 11)))
                .isEmpty();
    }

    @Test
    void writesAViolationAsTheReasonOfANack() {
        Violation violation = TableInvariants.check(null, handing(four(), BUCKET_3.visibleTo(Role.WEB)))
                .get(0);

        assertThat(violation).hasToString("T9: web processes see the handover to ds-4 before workers do");
    }
}
