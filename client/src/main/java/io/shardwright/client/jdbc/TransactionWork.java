package io.shardwright.client.jdbc;

import java.sql.Connection;
import java.sql.SQLException;

/** Work of one transaction. It may run several times, each time from the start; only the last run is committed. */
@FunctionalInterface
public interface TransactionWork<T> {
    T run(Connection connection) throws SQLException;
}
