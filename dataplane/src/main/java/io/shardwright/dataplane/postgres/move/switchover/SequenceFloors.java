package io.shardwright.dataplane.postgres.move.switchover;

import io.shardwright.dataplane.postgres.SqlText;
import io.shardwright.dataplane.postgres.move.tables.MovedTable;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.dataplane.postgres.move.truth.ScopeLock;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Sequences of the tables: the target's must stand beyond every number that the source can have given to a row that moves.
 * The target is advanced with a margin before the switch; under the lock it is enough to look whether the source is still
 * below.
 */
public final class SequenceFloors {
    private static final long MARGIN = 1_000;

    /** So many numbers are taken one by one. */
    private static final long WALK = 10_000;

    private static final String SEQUENCES = """
        SELECT DISTINCT a.attname, n.nspname, s.relname, q.seqincrement
        FROM pg_class s JOIN pg_namespace n ON n.oid = s.relnamespace JOIN pg_sequence q ON q.seqrelid = s.oid
        JOIN (SELECT d.objid AS seq, d.refobjid AS tab, d.refobjsubid AS col FROM pg_depend d
              WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
              UNION
              SELECT d.refobjid, f.adrelid, f.adnum FROM pg_depend d JOIN pg_attrdef f ON f.oid = d.objid
              WHERE d.classid = 'pg_attrdef'::regclass AND d.refclassid = 'pg_class'::regclass) u
          ON u.seq = s.oid
        JOIN pg_attribute a ON a.attrelid = u.tab AND a.attnum = u.col
        WHERE s.relkind = 'S' AND u.tab = to_regclass(?)\
        """;

    /** @param name quoted, for SQL */
    private record Sequence(String name, long increment) {}

    /** @param floor the source must not have gone beyond it when it is fenced */
    record Floor(String sequence, boolean ascending, long floor) {}

    private final Incarnation incarnation;
    private final MovedTables tables;

    public SequenceFloors(Incarnation incarnation, MovedTables tables) {
        this.incarnation = incarnation;
        this.tables = tables;
    }

    /** @return a check for the source, by sequence */
    List<Floor> advance() throws MoverFault {
        return incarnation.step(MoverStep.ADVANCE_SEQUENCES, () -> {
            Map<String, Sequence> here = incarnation.source().read("read sequences", this::sequences);
            Map<String, Sequence> there = incarnation.target().read("read sequences", this::sequences);
            List<Floor> floors = new ArrayList<>();
            for (Map.Entry<String, Sequence> column : here.entrySet()) {
                Sequence target = there.get(column.getKey());
                if (target == null) {
                    throw MoverFault.schemaChanged("column " + column.getKey() + " has a sequence on shard "
                            + incarnation.source().shard() + " only");
                }
                floors.add(advance(column.getValue(), target));
            }
            return floors;
        });
    }

    private Map<String, Sequence> sequences(Connection connection) throws SQLException {
        Map<String, Sequence> found = new TreeMap<>();
        for (MovedTable table : tables.tables()) {
            try (PreparedStatement statement = connection.prepareStatement(SEQUENCES)) {
                statement.setString(1, table.sql());
                try (ResultSet row = statement.executeQuery()) {
                    while (row.next()) {
                        String name = SqlText.identifier(row.getString(2)) + "." + SqlText.identifier(row.getString(3));
                        found.put(table.qualifiedName() + "." + row.getString(1), new Sequence(name, row.getLong(4)));
                    }
                }
            }
        }
        return found;
    }

    private Floor advance(Sequence source, Sequence target) throws MoverFault {
        boolean ascending = source.increment() > 0;
        long last = incarnation.source().read("read a sequence", connection -> lastValue(connection, source.name()));
        long floor = last + MARGIN * source.increment();
        incarnation.target().commit("advance sequence " + target.name(), connection -> {
            awaitTurn(connection);
            leap(connection, target, floor);
            walk(connection, target, floor);
            return null;
        });
        return new Floor(source.name(), ascending, floor);
    }

    /** Of two that leap from the same place the second would set the sequence back under writers who have gone on from the first. */
    private static void awaitTurn(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("SELECT pg_advisory_xact_lock(" + ScopeLock.DRAIN + ", 2)");
        }
    }

    /**
     * {@code setval} may take back numbers that the target's writers get at the same moment, and they would be given out twice. So it
     * is used only where the floor is far away, and ends far below it; it keeps the sequence's own residue.
     */
    private static void leap(Connection connection, Sequence target, long floor) throws SQLException {
        run(
                connection,
                "SELECT setval(%2$s::regclass, last_value + (%3$s - %4$d) * %5$d) FROM %1$s WHERE %3$s > 2 * %4$d",
                target,
                floor);
    }

    /** The rest number by number, as writers take them: none is given out twice. */
    private static void walk(Connection connection, Sequence target, long floor) throws SQLException {
        run(connection, "SELECT count(nextval(%2$s::regclass)) FROM %1$s, generate_series(1, %3$s)", target, floor);
    }

    /** In the SQL: the sequence, its name as a literal, how many numbers lie below the floor, {@link #WALK}, the increment. */
    private static void run(Connection connection, String sql, Sequence target, long floor) throws SQLException {
        String below = "(ceil((%d - last_value)::numeric / %d)::bigint + (NOT is_called)::integer)"
                .formatted(floor, target.increment());
        String literal = SqlText.literal(target.name());
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql.formatted(target.name(), literal, below, WALK, target.increment()));
        }
    }

    private static long lastValue(Connection connection, String sequence) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT last_value FROM " + sequence);
                ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getLong(1);
        }
    }

    /** One query that is true while the source is still below all floors. */
    static String checkSql(List<Floor> floors) {
        return floors.isEmpty()
                ? "SELECT true"
                : "SELECT "
                        + floors.stream()
                                .map(floor -> "(SELECT last_value " + (floor.ascending() ? "<= " : ">= ")
                                        + floor.floor() + " FROM " + floor.sequence() + ")")
                                .collect(Collectors.joining(" AND "));
    }
}
