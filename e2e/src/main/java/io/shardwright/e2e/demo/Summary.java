package io.shardwright.e2e.demo;

import java.nio.file.Path;
import java.util.List;

/** The end of the story: figures beside their goals, and every claim that did not hold. */
final class Summary {
    /** Goals of the longest client wait of a move at 250 writes/s, in milliseconds. */
    private static final DemoReport.Quantiles WAIT_GOAL = new DemoReport.Quantiles(10, 25, 60);

    private Summary() {}

    static void tell(Narrator narrator, DemoReport report, List<String> broken, Path file) {
        narrator.step("summary");
        narrator.say("buckets moved     %d  %s", report.movedBuckets(), report.movedFrom());
        narrator.say(
                "writes            %d acknowledged, %d lost, %d duplicated, %d refused, %d unknown",
                report.writes().acknowledged(),
                report.writes().lost(),
                report.writes().duplicated(),
                report.writes().refused(),
                report.writes().unknown());
        narrator.say(
                "in a moved bucket at least %d acknowledged writes while it moved",
                report.writesPerMovedBucket().min());
        narrator.say(
                "application       %d errors in autocommit, %d in transactions; %d replays it never saw",
                report.applicationErrors().autocommit(),
                report.applicationErrors().transaction(),
                report.replays());
        if (!report.errorsByState().isEmpty()) {
            narrator.say("errors by SQLSTATE %s", report.errorsByState());
        }
        if (report.operatorRestarts() > 0) {
            narrator.say("the operator ended by itself %d times", report.operatorRestarts());
        }
        narrator.say(
                "write hold        p50 %.1f ms, p95 %.1f ms, max %.1f ms; prediction off by p50 %.1f ms, max %.1f ms",
                report.holdMs().p50(),
                report.holdMs().p95(),
                report.holdMs().max(),
                report.predictionErrorMs().p50(),
                report.predictionErrorMs().max());
        DemoReport.Quantiles wait = report.longestClientWaitMs();
        narrator.say(
                "longest wait      p50 %s, p95 %s, max %s per moved bucket",
                BesideGoal.atMost(WAIT_GOAL.p50(), wait.p50()).in("ms"),
                BesideGoal.atMost(WAIT_GOAL.p95(), wait.p95()).in("ms"),
                BesideGoal.atMost(WAIT_GOAL.max(), wait.max()).in("ms"));
        DemoReport.Quantiles elsewhere = report.longestClientWaitElsewhereMs();
        narrator.say(
                "meanwhile         p50 %.1f ms, p95 %.1f ms, max %.1f ms per bucket that stayed on the source",
                elsewhere.p50(), elsewhere.p95(), elsewhere.max());
        chapters(narrator, report);
        narrator.say("report            %s", file);
        broken.forEach(claim -> narrator.say("DOES NOT HOLD     %s", claim));
        narrator.say(
                broken.isEmpty() ? "everything that this demo claims holds" : "%d claims do not hold", broken.size());
    }

    private static void chapters(Narrator narrator, DemoReport report) {
        DemoReport.Reversal back = report.reversal();
        narrator.say(
                "taken back        buckets %s, %s again after at least %d writes each on %s; write hold %.1f ms there, %.1f ms back",
                back.buckets(), back.owners(), back.writesOnTarget(), back.to(), back.holdMs(), back.holdBackMs());
        DemoReport.IsolatedKey key = report.isolatedKey();
        narrator.say(
                "isolated          key %s of %s on %s, %d writes there, and home again; p95 of its neighbours %s before, %s after; write hold %.1f ms there, %.1f ms back",
                key.key(),
                key.home(),
                key.shard(),
                key.writes(),
                key.neighboursP95Before(),
                key.neighboursP95After(),
                key.holdMs(),
                key.holdBackMs());
    }
}
