package io.shardwright.dataplane.postgres.probe;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SqlText;
import io.shardwright.dataplane.postgres.fence.FenceSight;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Step 1 of a move: everything that must hold in both databases before anything is made in one of them, so that it can go
 * there and, as long as nothing is cleaned up, back. The rules are looked at afresh, whatever earlier looks at the single
 * shards have shown. A reversal has no step 1 of its own.
 */
public final class MoveValidation {
    private final Connection source;
    private final Connection target;
    private final MoveTask task;

    private MoveValidation(Connection source, Connection target, MoveTask task) {
        this.source = source;
        this.target = target;
        this.task = task;
    }

    /**
     * Reads only.
     *
     * @param source a session of the mover on the source's primary, not in a transaction
     * @param target the same on the target
     * @return what stands against the move, with the shard's name in each message; empty = nothing
     */
    public static List<Problem> check(Connection source, Connection target, MoveTask task) throws SQLException {
        return new MoveValidation(source, target, task).run();
    }

    /** The slot of a move; 63 bytes, and the characters a slot may have. */
    public static String slotName(MoveTask task) {
        return "shardwright_" + task.moveId().toString().replace("-", "")
                + (task.reversalOf().isPresent() ? "_r" : "_f");
    }

    private List<Problem> run() throws SQLException {
        List<Problem> problems = new ArrayList<>();
        if (identity(source).equals(identity(target))) {
            problems.add(new Problem(
                    Problem.Kind.SETTINGS,
                    "shards " + task.source().shard() + " and " + task.target().shard()
                            + " are the same database: correct the endpoints in the ShardCluster"));
            return problems;
        }
        problems.addAll(oneSide(source, task.source(), slotName(task)));
        problems.addAll(oneSide(target, task.target(), slotName(task.reversal()))); // the way back begins there
        SchemaShape here = SchemaShape.read(source, task.schema());
        SchemaShape there = SchemaShape.read(target, task.schema());
        Optional<String> difference = here.firstDifference(there);
        if (difference.isPresent()) {
            problems.add(new Problem(
                    Problem.Kind.SCHEMA_UNSUPPORTED,
                    "the tables differ between " + task.source().shard() + " and "
                            + task.target().shard() + ", first in: " + difference.get()
                            + "; give both the same definition"));
        }
        if (problems.isEmpty()) { // else there may be no table to measure
            new TargetSpace(source, target, task).shortage().ifPresent(problems::add);
        }
        return problems;
    }

    private List<Problem> oneSide(Connection mover, ShardAccess shard, String slot) throws SQLException {
        List<Problem> problems = new ArrayList<>();
        FenceSight fence = FenceSight.look(mover, task.schema());
        if (fence.version() == 0) {
            problems.add(new Problem(Problem.Kind.FENCE_DAMAGED, "there is no fence: install it"));
        } else if (!fence.isKnown()) {
            problems.addAll(fence.damage());
        } else {
            problems.addAll(fence.damage());
            problems.addAll(TableRules.broken(mover, shard.operator().username(), task.schema()));
            problems.addAll(new ProblemQuery(mover)
                    .ask(
                            SqlText.script("look-move.sql"),
                            slot,
                            task.limits().switchGroup(),
                            task.limits().acceptAsyncStandby(),
                            task.moveId(),
                            ProblemQuery.texts(
                                    mover,
                                    task.scopes().stream().map(Scope::name).toList()),
                            ProblemQuery.column(mover, task.schema(), Table::schema),
                            ProblemQuery.column(mover, task.schema(), Table::name)));
        }
        return problems.stream()
                .map(problem -> new Problem(problem.kind(), "shard " + shard.shard() + ": " + problem.message()))
                .toList();
    }

    private static String identity(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT system_identifier || '/' || current_database() FROM pg_control_system()")) {
            row.next();
            return row.getString(1);
        }
    }
}
