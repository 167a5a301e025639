package io.shardwright.routing;

import java.util.ArrayList;
import java.util.List;

/** The rules between a table and the one that follows it. */
final class TableTransition {
    private final RoutingTable previous;
    private final RoutingTable next;
    private final List<Violation> violations = new ArrayList<>();

    private TableTransition(RoutingTable previous, RoutingTable next) {
        this.previous = previous;
        this.next = next;
    }

    static List<Violation> seenByReader(RoutingTable previous, RoutingTable next) {
        TableTransition transition = new TableTransition(previous, next);
        transition.checkBoth();
        if (next.order().compareTo(previous.order()) < 0) {
            transition.add(TableRule.ORDER, next.order() + " is older than " + previous.order());
        }
        return transition.violations;
    }

    static List<Violation> madeByWriter(RoutingTable previous, RoutingTable next) {
        TableTransition transition = new TableTransition(previous, next);
        transition.checkBoth();
        transition.checkSteps();
        return transition.violations;
    }

    private void checkBoth() {
        if (next.order().incarnation() < previous.order().incarnation()) {
            add(TableRule.T12, "incarnation shrinks from " + previous.order().incarnation());
        }
        if (sameIncarnation() && next.writerEpoch() < previous.writerEpoch()) {
            add(TableRule.T2, "writerEpoch shrinks from " + previous.writerEpoch() + " to " + next.writerEpoch());
        }
        if (sameIncarnation() && next.order().revision() == previous.order().revision() && !sameContent()) {
            add(TableRule.T3, "revision " + next.order().revision() + " has two contents");
        }
        if (!sameTopology()) {
            add(TableRule.T11, "cluster, engine, buckets, hash and keyType never change");
        }
    }

    /** What a reader cannot ask for, because it may not have seen every table. */
    private void checkSteps() {
        if (sameIncarnation() && next.writerEpoch() > previous.writerEpoch() + 1) {
            add(TableRule.T2, "writerEpoch jumps from " + previous.writerEpoch() + " to " + next.writerEpoch());
        }
        long step = next.order().revision() - previous.order().revision();
        if (step < 0 || step > 1) {
            add(
                    TableRule.T3,
                    "revision goes from " + previous.order().revision() + " to "
                            + next.order().revision() + ", a change adds 1");
        }
    }

    private boolean sameIncarnation() {
        return next.order().incarnation() == previous.order().incarnation();
    }

    private boolean sameTopology() {
        return next.cluster().equals(previous.cluster())
                && next.engine().equals(previous.engine())
                && next.bucketing().equals(previous.bucketing())
                && next.keyType() == previous.keyType();
    }

    private boolean sameContent() {
        return next.bucketMap().equals(previous.bucketMap())
                && next.epochs().equals(previous.epochs())
                && next.pins().equals(previous.pins())
                && next.handovers().equals(previous.handovers())
                && next.shards().equals(previous.shards())
                && sameTopology();
    }

    private void add(TableRule rule, String message) {
        violations.add(new Violation(rule, message));
    }
}
