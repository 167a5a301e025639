package io.shardwright.dataplane.postgres.move.truth;

import java.sql.Connection;
import java.sql.SQLException;

/** Statements inside one transaction; the caller begins and ends it. */
@FunctionalInterface
public interface SqlWork<T> {
    T on(Connection connection) throws SQLException, MoverFault;
}
