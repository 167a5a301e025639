package io.shardwright.controllers.bucketmove;

import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.bucketmove.BucketMoveStatus.Switch;
import io.shardwright.dataplane.MoveReport;
import io.shardwright.routing.Scope;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The switches that a status keeps. */
final class KeptSwitches {
    private KeptSwitches() {}

    /**
     * Stored ones and new ones in the order of switching; a bucket or key that was switched again shows its last switch. A list of
     * all would be written anew with every switch, so it keeps the last ones and the one with the longest hold.
     *
     * @param scopes of the move, as people may read them; a mover may have been opened before somebody hid its keys
     */
    static List<Switch> of(List<Switch> stored, List<MoveReport.Switch> fresh, SortedSet<Scope> scopes) {
        Map<String, Switch> all = new LinkedHashMap<>();
        stored.forEach(one -> all.put(name(one), one));
        fresh.stream()
                .filter(MoveReport.Switch::activated)
                .forEach(one -> one.epochs().keySet().stream()
                        .map(scope -> figures(shown(scope, scopes), one))
                        .forEach(figures -> {
                            all.remove(name(figures));
                            all.put(name(figures), figures);
                        }));
        List<Switch> ordered = List.copyOf(all.values());
        List<Switch> last =
                ordered.subList(Math.max(0, ordered.size() - BucketMoveStatus.LAST_SWITCHES), ordered.size());
        Optional<Switch> worst = ordered.stream().max(Comparator.comparing(Switch::actualMs));
        return worst.filter(one -> !last.contains(one))
                .map(one -> Stream.concat(Stream.of(one), last.stream()).toList())
                .orElse(last);
    }

    private static Scope shown(Scope scope, SortedSet<Scope> scopes) {
        SortedSet<Scope> same = scopes.tailSet(scope);
        return same.isEmpty() || !same.first().equals(scope) ? scope : same.first();
    }

    private static String name(Switch one) {
        return one.key() == null ? "b:" + one.bucket() : "k:" + one.key();
    }

    private static Switch figures(Scope scope, MoveReport.Switch one) {
        Map<String, Double> parts = new TreeMap<>();
        one.parts().forEach((name, milliseconds) -> parts.put(name, rounded(milliseconds)));
        return new Switch(
                scope.bucket(),
                scope.isKey() ? scope.toString() : null,
                rounded(one.predictedMs()),
                rounded(one.holdMs()),
                parts);
    }

    /** Microseconds are precise enough, and keep equal figures equal. */
    static double rounded(double milliseconds) {
        return Math.round(Math.max(0, milliseconds) * 1000) / 1000.0;
    }
}
