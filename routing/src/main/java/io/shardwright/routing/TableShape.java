package io.shardwright.routing;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The rules that one table keeps by itself. */
final class TableShape {
    private final RoutingTable table;
    private final List<Violation> violations = new ArrayList<>();

    private TableShape(RoutingTable table) {
        this.table = table;
    }

    static List<Violation> check(RoutingTable table) {
        TableShape shape = new TableShape(table);
        shape.checkMap();
        shape.checkShards();
        shape.checkNames();
        shape.checkPins();
        shape.checkHandovers();
        return shape.violations;
    }

    private void checkMap() {
        int buckets = table.bucketing().buckets();
        if (table.bucketMap().buckets() != buckets) {
            add(TableRule.MAP, "bucketMap covers " + table.bucketMap().buckets() + " of " + buckets + " buckets");
        }
        if (table.epochs().buckets() != buckets) {
            add(TableRule.MAP, "epochs covers " + table.epochs().buckets() + " of " + buckets + " buckets");
        }
    }

    private void checkShards() {
        Set<String> named = new TreeSet<>(table.bucketMap().values());
        named.addAll(table.pins().values());
        table.handovers().forEach(handover -> named.add(handover.to()));
        named.removeAll(table.shards().keySet());
        named.forEach(shard -> add(TableRule.SHARDS, "shard '" + shard + "' owns keys but is not listed"));
        table.shards().forEach((name, shard) -> {
            if (shard.host().isBlank() || shard.port() < 1 || shard.port() > 65_535) {
                add(TableRule.SHARDS, "shard '" + name + "' has no usable primary");
            }
        });
    }

    private void checkNames() {
        if (table.cluster().isBlank()) {
            add(TableRule.BLANK, "cluster is blank");
        }
        if (table.engine().isBlank()) {
            add(TableRule.BLANK, "engine is blank");
        }
        if (table.shards().keySet().stream().anyMatch(String::isBlank)) {
            add(TableRule.BLANK, "a shard's name is blank");
        }
    }

    private void checkPins() {
        for (String key : table.pins().keySet()) {
            if (!isCanonical(key)) {
                add(
                        TableRule.PINS,
                        "a pinned key is no canonical " + table.keyType().wire() + ": '" + key + "'");
            }
        }
    }

    private boolean isCanonical(String key) {
        try {
            return ShardKey.of(table.keyType(), key).text().equals(key);
        } catch (UnroutableKeyException e) {
            return false;
        }
    }

    private void checkHandovers() {
        Set<Scope> seen = new TreeSet<>();
        for (Handover handover : table.handovers()) {
            if (handover.scopes().isEmpty()) {
                add(TableRule.HANDOVERS, "a handover to " + handover.to() + " names no bucket and no key");
            }
            if (handover.scopes().keySet().stream().map(Scope::isKey).distinct().count() > 1) {
                add(TableRule.HANDOVERS, "a handover to " + handover.to() + " names buckets and keys");
            }
            for (Map.Entry<Scope, Long> entry : handover.scopes().entrySet()) {
                checkHandover(entry.getKey(), entry.getValue(), seen.add(entry.getKey()));
            }
            if (handover.visibleTo().contains(Role.WEB) && !handover.visibleTo().contains(Role.WORKER)) {
                add(TableRule.T9, "web processes see the handover to " + handover.to() + " before workers do");
            }
        }
    }

    private void checkHandover(Scope scope, long epoch, boolean first) {
        if (scope.isKey()) {
            checkHandover(scope.key().orElseThrow(), first);
        } else {
            checkHandover(scope.bucket(), epoch, first);
        }
    }

    /** A key has no epoch in the table that one could compare with. */
    private void checkHandover(String key, boolean first) {
        if (!first) {
            add(TableRule.HANDOVERS, "a key is in two handovers");
        }
        if (!isCanonical(key)) {
            add(
                    TableRule.HANDOVERS,
                    "a key of a handover is no canonical " + table.keyType().wire());
        }
    }

    private void checkHandover(int bucket, long epoch, boolean first) {
        if (!first) {
            add(TableRule.HANDOVERS, "bucket " + bucket + " is in two handovers");
        }
        if (bucket < 0 || bucket >= table.bucketing().buckets()) {
            add(TableRule.HANDOVERS, "bucket " + bucket + " of a handover is no bucket of the cluster");
        } else if (bucket < table.epochs().buckets() && epoch < table.epochs().get(bucket)) {
            add(
                    TableRule.HANDOVERS,
                    "bucket " + bucket + " is handed over with epoch " + epoch + ", below "
                            + table.epochs().get(bucket));
        }
    }

    private void add(TableRule rule, String message) {
        violations.add(new Violation(rule, message));
    }
}
