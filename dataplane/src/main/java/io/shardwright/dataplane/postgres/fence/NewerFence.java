package io.shardwright.dataplane.postgres.fence;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * A fence that a newer operator has brought. What its rows mean, and who may write them how, only that one knows: this one reads
 * nothing else of it and changes nothing.
 */
public final class NewerFence {
    /** What to do about it. */
    public static final String REMEDY = "run the newer operator";

    private NewerFence() {}

    /**
     * What is seen; empty when this operator knows the fence.
     *
     * @param connection to a database with a fence
     */
    public static Optional<String> seen(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT version FROM shardwright.installation")) {
            return row.next() ? seen(row.getInt(1)) : Optional.empty();
        }
    }

    static Optional<String> seen(int version) {
        return version > FenceInstallation.VERSION
                ? Optional.of("the fence has version " + version + ", this operator knows " + FenceInstallation.VERSION)
                : Optional.empty();
    }
}
