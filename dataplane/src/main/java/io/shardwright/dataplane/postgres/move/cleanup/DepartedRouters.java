package io.shardwright.dataplane.postgres.move.cleanup;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.Session;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Routers that are gone from Kubernetes and may still read the source: a process on a node that is cut off, whose pod was
 * deleted by force, has acknowledged nothing and counts no more. Reads are not fenced, so it would find nothing where rows
 * were. Its sessions carry its instance id; they are ended, and looked for again.
 */
public final class DepartedRouters {
    private static final Duration CONNECT = Duration.ofSeconds(3);
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** The server itself waits so long for each session to be gone. */
    private static final int END_MILLIS = 5_000;

    private static final String INSUFFICIENT_PRIVILEGE = "42501";

    private static final String DEPARTED = " FROM pg_stat_activity WHERE datname = current_database()"
            + " AND starts_with(application_name, 'shardwright-router/')"
            + " AND split_part(application_name, '/', 2) <> ALL (?)";

    private final Incarnation incarnation;
    private final PostgresSessions sessions;

    public DepartedRouters(Incarnation incarnation, PostgresSessions sessions) {
        this.incarnation = incarnation;
        this.sessions = sessions;
    }

    /**
     * @param live instance ids of the routers that live
     * @throws MoverFault naming the routers that have sessions on the source still, or again
     */
    public void end(Collection<String> live) throws MoverFault {
        incarnation.step(MoverStep.END_DEPARTED_ROUTERS, () -> {
            SortedSet<String> stillThere = end(live.toArray());
            if (!stillThere.isEmpty()) {
                throw MoverFault.blocked(
                        "routers " + stillThere + " are no live pods, but have sessions on shard "
                                + incarnation.source().shard() + ", where they would read buckets whose rows go",
                        "end these processes (application_name shardwright-router/<id> in pg_stat_activity of the shard);"
                                + " it is looked at again");
            }
            return null;
        });
    }

    /** The operator's login may end sessions of others, the mover's may not. */
    private SortedSet<String> end(Object[] live) throws MoverFault {
        ShardAccess source = incarnation.task().source();
        Session session = new Session(incarnation.sessionName(), CONNECT, Duration.ZERO, LIMIT, CONNECT);
        try (Connection operator = sessions.primary(source, PostgresSessions.As.OPERATOR, session)) {
            for (String pid : column(operator, "pid", live)) {
                terminate(operator, Integer.parseInt(pid));
            }
            return column(operator, "application_name", live);
        } catch (ShardException e) {
            throw MoverFault.of(e);
        } catch (SQLException e) {
            throw incarnation.source().fault("end sessions of departed routers", e);
        }
    }

    /** One that the operator may not end keeps no other one alive. */
    private static void terminate(Connection operator, int pid) throws SQLException {
        try (PreparedStatement statement = operator.prepareStatement("SELECT pg_terminate_backend(?, ?)")) {
            statement.setInt(1, pid);
            statement.setLong(2, END_MILLIS);
            statement.execute();
        } catch (SQLException e) {
            if (!INSUFFICIENT_PRIVILEGE.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    private static SortedSet<String> column(Connection operator, String name, Object[] live) throws SQLException {
        SortedSet<String> values = new TreeSet<>();
        try (PreparedStatement statement = operator.prepareStatement("SELECT " + name + DEPARTED)) {
            statement.setArray(1, operator.createArrayOf("text", live));
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    values.add(row.getString(1));
                }
            }
        }
        return values;
    }
}
