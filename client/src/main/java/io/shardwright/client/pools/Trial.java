package io.shardwright.client.pools;

import java.sql.Connection;
import java.sql.SQLException;

/** Tries whether a connection can do what it is needed for, and leaves nothing behind. */
@FunctionalInterface
public interface Trial {
    /** @throws SQLException when it cannot */
    void on(Connection connection) throws SQLException;
}
