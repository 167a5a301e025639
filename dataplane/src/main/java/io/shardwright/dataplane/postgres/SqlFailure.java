package io.shardwright.dataplane.postgres;

import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight.Problem;
import java.sql.SQLException;
import java.util.Map;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;

/**
 * What a driver's exception means to somebody who has to do something about it. The text is the server's primary message
 * only: DETAIL and QUERY may hold values of rows.
 *
 * @param lasting repeating cannot help before somebody changes something
 */
public record SqlFailure(
        Problem.Kind kind, String state, String seen, String advice, boolean lasting, SQLException cause) {
    private static final Map<String, String> ADVICE = Map.of(
            "28P01", "check username and password in the Secret",
            "28000", "check the Secret's username, pg_hba.conf, and access.tls of the ShardCluster",
            "3D000", "check database in the ShardCluster's spec",
            "42501", "run manifests/databases/postgresql.sql in this database again: it grants what is missing",
            "42704", "run manifests/databases/postgresql.sql in this database: it makes the roles",
            "53100", "make room on this server's disk (SQLSTATE 53100); it is tried again",
            "53300", "raise max_connections or the CONNECTION LIMIT of the login, or end idle sessions",
            "55P03", "somebody holds the lock: look at pg_stat_activity and pg_locks; it is tried again",
            "57014", "the server is slow or a lock is held: look at pg_stat_activity; it is tried again",
            "57P03", "wait until the server has started; it is tried again");

    public static SqlFailure of(SQLException e) {
        String state = e.getSQLState() == null ? "" : e.getSQLState();
        String seen = e instanceof PSQLException p && p.getServerErrorMessage() != null
                ? p.getServerErrorMessage().getMessage()
                : firstLine(e.getMessage());
        String advice = ADVICE.getOrDefault(
                state,
                PSQLState.isConnectionError(state) || state.isEmpty()
                        ? "check host, port, network and TLS settings of the instance"
                        : "look at the server's log for SQLSTATE " + state);
        return new SqlFailure(kind(state), state, seen, advice, lasting(state), e);
    }

    private static Problem.Kind kind(String state) {
        if (state.startsWith("28") || state.equals("3D000")) {
            return Problem.Kind.ACCESS_DENIED;
        }
        if (state.equals("42501") || state.equals("42704")) {
            return Problem.Kind.PRIVILEGES;
        }
        if (state.equals("42P01")) {
            return Problem.Kind.TABLE_MISSING;
        }
        return Problem.Kind.UNREACHABLE;
    }

    /** Classes of states that a person must cure: access, syntax and privileges, unsupported features. */
    private static boolean lasting(String state) {
        return state.startsWith("28") || state.startsWith("3D") || state.startsWith("42") || state.startsWith("0A");
    }

    private static String firstLine(String message) {
        return message == null ? "no message" : message.lines().findFirst().orElse("");
    }

    Problem asProblem(String doing) {
        return new Problem(kind, "could not " + doing + ": " + seen + "; " + advice);
    }

    ShardException asException(String shard, String doing) {
        return new ShardException("shard " + shard + ": " + asProblem(doing).message(), lasting, cause);
    }
}
