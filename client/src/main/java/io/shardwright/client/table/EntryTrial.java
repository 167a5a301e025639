package io.shardwright.client.table;

import io.shardwright.client.pools.Trial;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Set;

/**
 * What the first writer of a bucket will need on its new owner, done once ahead: on a new connection the first call of the
 * fence loads plpgsql and catalog entries, which would cost milliseconds in the middle of a switch. A target that is still
 * importing refuses, without effect; that is the answer expected of it.
 *
 * @param bucket one of those that are announced
 */
record EntryTrial(int bucket) implements Trial {
    private static final String ENTER = "SELECT shardwright.enter(?, NULL, NULL)";
    private static final int TIMEOUT_SECONDS = 1;

    /** The fence refused, or a mover holds the bucket: in either case it answers this router. */
    private static final Set<String> ANSWERS = Set.of("SH409", "57014", "55P03");

    @Override
    public void on(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement enter = connection.prepareStatement(ENTER)) {
            enter.setQueryTimeout(TIMEOUT_SECONDS);
            enter.setInt(1, bucket);
            enter.execute();
        } catch (SQLException e) {
            if (e.getSQLState() == null || !ANSWERS.contains(e.getSQLState())) {
                throw e;
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
    }
}
