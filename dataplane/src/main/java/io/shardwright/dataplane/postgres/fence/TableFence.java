package io.shardwright.dataplane.postgres.fence;

import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * Grants and triggers of one sharded table. Row triggers of a partitioned table live on its root and are cloned by the
 * server; the TRUNCATE trigger does not fire for a partition, so each one gets its own. Nothing is locked when nothing is
 * missing; else the table is locked with all its partitions before the first change, so that they change at one moment.
 */
final class TableFence {
    /** Sorts last among BEFORE triggers, or another one could change the key after the check. */
    static final String ROW_TRIGGER = "zz_shardwright_fence";

    static final String TRUNCATE_TRIGGER = "zz_shardwright_truncate";

    /**
     * BEFORE, FOR EACH ROW, on INSERT, UPDATE and DELETE; BEFORE TRUNCATE (bits of pg_trigger.tgtype). Who adds a partition
     * makes the server clone the row trigger, so he must be allowed to execute its function.
     */
    private static final String MEMBERS = """
            SELECT format('%I.%I', n.nspname, c.relname) AS name, m.relid = root.oid AS is_root,
              EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = m.relid AND t.tgname = 'zz_shardwright_fence'
                AND t.tgenabled = 'O' AND t.tgtype = 31 AND t.tgqual IS NULL AND t.tgattr = ''
                AND t.tgfoid = to_regprocedure(?)) AS rows_fenced,
              EXISTS (SELECT FROM pg_trigger t WHERE t.tgrelid = m.relid AND t.tgname = 'zz_shardwright_truncate'
                AND t.tgenabled = 'O' AND t.tgtype = 34
                AND t.tgfoid = to_regprocedure('shardwright.refuse_truncate()')) AS truncate_refused,
              (SELECT quote_ident(owner.rolname) FROM pg_roles owner WHERE owner.oid = c.relowner AND c.relkind = 'p'
                AND NOT coalesce(has_function_privilege(owner.oid, to_regprocedure(?), 'EXECUTE'), false)) AS hindered_owner
            FROM pg_class root
            JOIN pg_namespace root_schema ON root_schema.oid = root.relnamespace,
            LATERAL (
              SELECT root.oid AS relid WHERE root.relkind = 'r'
              UNION ALL SELECT tree.relid FROM pg_partition_tree(root.oid) tree WHERE root.relkind = 'p'
            ) m
            JOIN pg_class c ON c.oid = m.relid
            JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE root_schema.nspname = ? AND root.relname = ?
            ORDER BY m.relid = root.oid DESC, name""";

    private final Connection operator;
    private final Table table;

    TableFence(Connection operator, Table table) {
        this.operator = operator;
        this.table = table;
    }

    /** The trigger function is shared by all tables whose shard key column has the same name. */
    static String rowFunction(String shardKey) {
        String name = "fence_row_" + shardKey;
        return name.getBytes(StandardCharsets.UTF_8).length <= 63
                ? name
                : "fence_row_" + Integer.toHexString(shardKey.hashCode());
    }

    void install(BriefLock lock) throws SQLException, ShardException {
        grantToMover();
        grantToOwners();
        operator.commit();
        if (!damage().isEmpty()) {
            lock.run(
                    new BriefLock.Wanted(
                            table.schema(),
                            table.name(),
                            "LOCK TABLE " + SqlText.table(table) + " IN SHARE ROW EXCLUSIVE MODE"),
                    this::createTriggers);
        }
    }

    private void createTriggers() throws SQLException {
        for (Member member : members()) {
            if (!member.rowsFenced() && member.root()) {
                execute("CREATE OR REPLACE TRIGGER " + ROW_TRIGGER + " BEFORE INSERT OR UPDATE OR DELETE ON "
                        + member.name() + " FOR EACH ROW EXECUTE FUNCTION " + function());
            }
            if (!member.rowsFenced()) {
                execute("ALTER TABLE " + member.name() + " ENABLE TRIGGER " + ROW_TRIGGER);
            }
            if (!member.truncateRefused()) {
                execute("CREATE OR REPLACE TRIGGER " + TRUNCATE_TRIGGER + " BEFORE TRUNCATE ON " + member.name()
                        + " FOR EACH STATEMENT EXECUTE FUNCTION shardwright.refuse_truncate()");
                execute("ALTER TABLE " + member.name() + " ENABLE TRIGGER " + TRUNCATE_TRIGGER);
            }
        }
    }

    /** What {@link #install} would repair. */
    List<String> damage() throws SQLException {
        List<String> damage = new ArrayList<>();
        for (Member member : members()) {
            if (!member.rowsFenced()) {
                damage.add(
                        "trigger " + ROW_TRIGGER + " of table " + member.name() + " is missing, disabled or altered");
            }
            if (!member.truncateRefused()) {
                damage.add("trigger " + TRUNCATE_TRIGGER + " of table " + member.name()
                        + " is missing, disabled or altered");
            }
            if (member.hinderedOwner() != null) {
                damage.add("role " + member.hinderedOwner() + " can add no partition to table " + member.name()
                        + ": it may not execute " + function());
            }
        }
        return damage;
    }

    private String function() {
        return "shardwright." + SqlText.identifier(rowFunction(table.shardKey())) + "()";
    }

    private void grantToMover() throws SQLException {
        if (!moverSeesSchema()) {
            execute("GRANT USAGE ON SCHEMA " + SqlText.identifier(table.schema()) + " TO shardwright_mover");
        }
        execute("GRANT SELECT, INSERT, UPDATE, DELETE ON " + SqlText.table(table) + " TO shardwright_mover");
        for (String sequence : sequences()) {
            execute("GRANT SELECT, UPDATE ON SEQUENCE " + sequence + " TO shardwright_mover");
        }
    }

    private void grantToOwners() throws SQLException {
        for (Member member : members()) {
            if (member.hinderedOwner() != null) {
                execute("GRANT EXECUTE ON FUNCTION " + function() + " TO " + member.hinderedOwner());
            }
        }
    }

    private boolean moverSeesSchema() throws SQLException {
        try (PreparedStatement statement =
                operator.prepareStatement("SELECT has_schema_privilege('shardwright_mover', ?, 'USAGE')")) {
            statement.setString(1, table.schema());
            try (ResultSet answer = statement.executeQuery()) {
                answer.next();
                return answer.getBoolean(1);
            }
        }
    }

    /** Sequences that belong to a column (identity, serial) or that a default draws from. */
    private List<String> sequences() throws SQLException {
        return names("""
                SELECT DISTINCT format('%I.%I', sn.nspname, s.relname) FROM pg_class t
                JOIN pg_namespace tn ON tn.oid = t.relnamespace
                JOIN pg_depend d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = t.oid AND d.classid = 'pg_class'::regclass
                JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S'
                JOIN pg_namespace sn ON sn.oid = s.relnamespace
                WHERE tn.nspname = ? AND t.relname = ?
                UNION
                SELECT format('%I.%I', sn.nspname, s.relname) FROM pg_class t
                JOIN pg_namespace tn ON tn.oid = t.relnamespace
                JOIN pg_attrdef a ON a.adrelid = t.oid
                JOIN pg_depend d ON d.classid = 'pg_attrdef'::regclass AND d.objid = a.oid AND d.refclassid = 'pg_class'::regclass
                JOIN pg_class s ON s.oid = d.refobjid AND s.relkind = 'S'
                JOIN pg_namespace sn ON sn.oid = s.relnamespace
                WHERE tn.nspname = ? AND t.relname = ?""");
    }

    private List<String> names(String query) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement(query)) {
            for (int i = 1; i <= 4; i += 2) {
                statement.setString(i, table.schema());
                statement.setString(i + 1, table.name());
            }
            List<String> names = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    names.add(rows.getString(1));
                }
            }
            return names;
        }
    }

    /**
     * The table itself or one of its partitions.
     *
     * @param hinderedOwner of a partitioned one, who may add no partition; else null
     */
    private record Member(
            String name, boolean root, boolean rowsFenced, boolean truncateRefused, String hinderedOwner) {}

    private List<Member> members() throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement(MEMBERS)) {
            statement.setString(1, function());
            statement.setString(2, function());
            statement.setString(3, table.schema());
            statement.setString(4, table.name());
            List<Member> members = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    members.add(new Member(
                            rows.getString("name"),
                            rows.getBoolean("is_root"),
                            rows.getBoolean("rows_fenced"),
                            rows.getBoolean("truncate_refused"),
                            rows.getString("hindered_owner")));
                }
            }
            return members;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = operator.createStatement()) {
            statement.execute(sql);
        }
    }
}
