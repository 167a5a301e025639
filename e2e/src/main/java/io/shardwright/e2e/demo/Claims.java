package io.shardwright.e2e.demo;

import io.shardwright.servers.AuditLog;
import io.shardwright.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What the demo claims. It succeeds only if every claim holds; each that does not is named with what was seen. */
public final class Claims {
    private static final int MOVED_FROM_EACH = 5;
    private static final int WRITES_PER_BUCKET = 20;
    private static final int WRITES_PER_SECOND = 200;

    private final List<String> broken = new ArrayList<>();

    private Claims() {}

    private void reversed(DemoReport.Reversal reversal) {
        holds(reversal.phase().equals("Reversed"), "the move was taken back: it is " + reversal.phase());
        holds(
                reversal.owners().equals(Set.of(reversal.from())),
                reversal.from() + " owns what was taken back, by the fence rows: " + reversal.owners());
        holds(
                reversal.writesOnTarget() >= WRITES_PER_BUCKET,
                "at least 20 acknowledged writes on the target in each bucket before it went back: "
                        + reversal.writesOnTarget());
    }

    private void isolated(DemoReport.IsolatedKey key) {
        holds(
                key.shard().equals(HotKeyChapter.DEDICATED),
                "the hot key had " + HotKeyChapter.DEDICATED + " for itself, by the fence rows: " + key.shard());
        holds(
                key.writes() >= WRITES_PER_BUCKET,
                "at least 20 acknowledged writes of the hot key while it was there: " + key.writes());
        holds(key.rowsLeft().isEmpty(), "no fence row of the hot key is left: " + key.rowsLeft());
    }

    /** Of all chapters that were played: those that do not hold. */
    public static List<String> broken(DemoReport report, MainJobResult result, Stage stage) {
        var claims = new Claims();
        claims.reversed(report.reversal());
        if (report.isolatedKey() != null) {
            claims.isolated(report.isolatedKey());
        }
        var fiveEach = Map.of(
                "ds-0", MOVED_FROM_EACH, "ds-1", MOVED_FROM_EACH, "ds-2", MOVED_FROM_EACH, "ds-3", MOVED_FROM_EACH);
        claims.holds(
                report.movedBuckets() == 20 && report.movedFrom().equals(fiveEach),
                "exactly 20 buckets moved, 5 from each shard, by the fence rows: " + report.movedFrom());
        claims.holds(
                stage.truth().owned().get("ds-4").size() == 20,
                "ds-4 owns 20 buckets by its own fence: "
                        + stage.truth().owned().get("ds-4"));
        claims.holds(
                report.switches().size() == 20,
                "20 switches are recorded: " + report.switches().size());
        claims.holds(
                report.writes().acknowledged() > 0 && report.writes().lost() == 0, "no acknowledged write is lost");
        claims.holds(report.writes().duplicated() == 0, "no row is there twice");
        claims.holds(result.audit().refusedFound() == 0, "no refused write is there");
        result.audit().findings().forEach(finding -> claims.holds(false, "the audit found: " + finding));
        claims.holds(
                report.writesPerMovedBucket().min() >= WRITES_PER_BUCKET,
                "at least 20 acknowledged writes in each moved bucket while it moved: "
                        + report.writesPerMovedBucket().min());
        claims.holds(
                result.writesPerSecond() >= WRITES_PER_SECOND,
                "at least 200 writes a second, over the whole time: " + result.writesPerSecond());
        claims.holds(
                result.counters().applicationErrors().total() == 0,
                "the application saw no error: " + result.counters().applicationErrors());
        claims.holds(
                result.ownerSamples() > 0 && result.twoOwners().isEmpty(),
                "no bucket ever had two owners: " + result.twoOwners());
        List<String> leftovers = result.leftovers();
        claims.holds(leftovers.isEmpty(), "no slot, record, session or foreign row is left: " + leftovers);
        List<AuditLog.Entry> forbidden = stage.operatorForbidden();
        claims.holds(forbidden.isEmpty(), "the API server refused nothing to the operator: " + forbidden);
        return List.copyOf(claims.broken);
    }

    private void holds(boolean claim, String text) {
        if (!claim) {
            broken.add(text);
        }
    }
}
