package io.shardwright.client.jdbc;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.logging.Logger;
import javax.sql.DataSource;

/** Connections to the shard of the key in scope. Getting one costs no I/O; without a scope it is refused. */
public final class RoutedDataSource implements DataSource {
    private final Router router;
    private final Classifier classifier = new Classifier();

    public RoutedDataSource(Router router) {
        this.router = router;
    }

    /** @throws io.shardwright.client.errors.MissingShardKeyException when no scope is open on this thread */
    @Override
    public Connection getConnection() {
        return LogicalConnection.over(new Session(router, router.scopes().require(), null, Hint.NONE), classifier);
    }

    /** For work that the library may repeat; see {@link CallbackTransaction}. */
    public CallbackTransaction transactions() {
        return new CallbackTransaction(router, classifier);
    }

    @Override
    public Connection getConnection(String username, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("logins belong to the pools of the shards", "0A000");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        if (type.isInstance(this)) {
            return type.cast(this);
        }
        throw new SQLException("a routed data source is no " + type.getName(), "0A000");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return type.isInstance(this);
    }

    @Override
    public PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        throw new SQLFeatureNotSupportedException("the library logs by System.Logger", "0A000");
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        throw new SQLFeatureNotSupportedException("timeouts belong to the pools of the shards", "0A000");
    }

    @Override
    public int getLoginTimeout() {
        return 0;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("the library logs by System.Logger", "0A000");
    }
}
