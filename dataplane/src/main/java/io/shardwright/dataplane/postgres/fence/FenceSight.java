package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * The fence of one database as it is now.
 *
 * @param version 0 when there is none
 * @param rows of buckets
 * @param keys rows of keys that live apart from their bucket
 * @param armed false while buckets without a row may be written
 * @param firstWrites buckets without a row that were written meanwhile
 * @param damage what is missing, disabled or altered; {@link FenceInstallation} repairs all of it, but not a newer fence
 */
public record FenceSight(
        int version,
        Map<Integer, FenceRow> rows,
        SortedMap<Scope, FenceRow> keys,
        boolean armed,
        Set<Integer> firstWrites,
        List<Problem> damage) {
    public static final FenceSight NONE = new FenceSight(0, Map.of(), new TreeMap<>(), false, Set.of(), List.of());

    /** Reads only. */
    public static FenceSight look(Connection operator, ShardedSchema schema) throws SQLException {
        if (!isInstalled(operator)) {
            return NONE;
        }
        int version;
        List<String> damage = new ArrayList<>();
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery("SELECT version, code FROM shardwright.installation")) {
            if (!row.next()) {
                return NONE;
            }
            version = row.getInt("version");
            Optional<String> newer = NewerFence.seen(version);
            if (newer.isPresent()) {
                return newer(version, newer.get());
            }
            if (version < FenceInstallation.VERSION) {
                damage.add("the fence has version " + version + ", this operator brings " + FenceInstallation.VERSION);
            } else if (!row.getString("code").equals(FenceCode.fingerprint(operator))) {
                damage.add("a function of schema shardwright was altered");
            }
        }
        for (Table table : schema.tables()) {
            damage.addAll(new TableFence(operator, table).damage());
        }
        damage.addAll(new FencePublication(operator, schema).damage());
        boolean armed = isArmed(operator, version);
        if (armed && version >= FenceInstallation.FIRST_WITH_ARMING) {
            damage.addAll(new AppendedTables(operator, schema).damage());
        }
        // read before the rows: arming turns one into the other
        Set<Integer> firstWrites = armed ? Set.of() : firstWrites(operator);
        SortedMap<Scope, FenceRow> rows = rows(operator);
        return new FenceSight(
                version,
                ofBuckets(rows),
                ofKeys(rows),
                armed,
                firstWrites,
                damage.stream()
                        .map(seen -> new Problem(Problem.Kind.FENCE_DAMAGED, seen + ": install the fence again"))
                        .toList());
    }

    private static FenceSight newer(int version, String seen) {
        Problem problem = new Problem(Problem.Kind.FENCE_NEWER, seen + ": " + NewerFence.REMEDY);
        return new FenceSight(version, Map.of(), new TreeMap<>(), true, Set.of(), List.of(problem));
    }

    /** Nothing of a newer fence is known but its version. */
    public boolean isKnown() {
        return NewerFence.seen(version).isEmpty();
    }

    /** Every trigger of this version stands, and the publication. */
    public boolean whole() {
        return version == FenceInstallation.VERSION && damage.isEmpty();
    }

    /** Before version 2 every fence was. */
    private static boolean isArmed(Connection operator, int version) throws SQLException {
        if (version < FenceInstallation.FIRST_WITH_ARMING) {
            return true;
        }
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery("SELECT armed FROM shardwright.installation")) {
            return row.next() && row.getBoolean(1);
        }
    }

    private static Set<Integer> firstWrites(Connection operator) throws SQLException {
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery("SELECT DISTINCT bucket FROM shardwright.first_write")) {
            Set<Integer> buckets = new TreeSet<>();
            while (row.next()) {
                buckets.add(row.getInt(1));
            }
            return buckets;
        }
    }

    private static boolean isInstalled(Connection operator) throws SQLException {
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery("SELECT to_regclass('shardwright.installation') IS NOT NULL")) {
            row.next();
            return row.getBoolean(1);
        }
    }

    private static SortedMap<Scope, FenceRow> rows(Connection operator) throws SQLException {
        SortedMap<Scope, FenceRow> rows = new TreeMap<>();
        try (Statement statement = operator.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT scope, bucket, state, epoch, owner, move_id FROM shardwright.fence")) {
            while (row.next()) {
                Scope scope = Scope.named(row.getString("scope"), row.getInt("bucket"));
                rows.put(
                        scope,
                        new FenceRow(
                                scope,
                                FenceState.valueOf(row.getString("state")),
                                row.getLong("epoch"),
                                row.getString("owner"),
                                row.getObject("move_id", UUID.class)));
            }
        }
        return rows;
    }

    private static Map<Integer, FenceRow> ofBuckets(SortedMap<Scope, FenceRow> rows) {
        Map<Integer, FenceRow> buckets = new HashMap<>();
        rows.values().stream().filter(row -> !row.scope().isKey()).forEach(row -> buckets.put(row.bucket(), row));
        return buckets;
    }

    private static SortedMap<Scope, FenceRow> ofKeys(SortedMap<Scope, FenceRow> rows) {
        SortedMap<Scope, FenceRow> keys = new TreeMap<>(rows);
        keys.keySet().removeIf(scope -> !scope.isKey());
        return keys;
    }
}
