package io.shardwright.client.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.ClientInfoStatus;
import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/** A connection as the application sees it. Needs no database before the first statement. */
final class LogicalConnection implements InvocationHandler {
    private static final Set<String> NOTHING_TO_DO =
            Set.of("getWarnings", "clearWarnings", "beginRequest", "endRequest");
    private static final Object[] NONE = {};
    private static final String APPLICATION_NAME = "ApplicationName";

    private final Session session;
    private final Classifier classifier;
    private final boolean callback;
    private boolean closed;

    private LogicalConnection(Session session, Classifier classifier, boolean callback) {
        this.session = session;
        this.classifier = classifier;
        this.callback = callback;
    }

    static Connection over(Session session, Classifier classifier) {
        return proxy(new LogicalConnection(session, classifier, false));
    }

    /** For a callback: the library commits, rolls back and closes. */
    static Connection forCallback(Session session, Classifier classifier) {
        return proxy(new LogicalConnection(session, classifier, true));
    }

    private static Connection proxy(LogicalConnection connection) {
        return (Connection) Proxy.newProxyInstance(
                LogicalConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, connection);
    }

    @Override
    public Object invoke(Object self, Method method, Object[] given) throws Throwable {
        Object[] arguments = given == null ? NONE : given;
        if (method.getDeclaringClass() == Object.class) {
            return ProxyIdentity.answer(this, self, method, arguments);
        }
        switch (method.getName()) {
            case "close", "abort":
                if (!closed && !callback) {
                    closed = true;
                    session.close();
                }
                return null;
            case "isClosed":
                return closed;
            case "isValid":
                return !closed;
            default:
                if (closed) {
                    throw new SQLException("this connection is closed", "08003");
                }
                return invokeOpen((Connection) self, new Call(method, arguments));
        }
    }

    private Object invokeOpen(Connection self, Call call) throws SQLException {
        String name = call.method().getName();
        switch (name) {
            case "createStatement", "prepareStatement", "prepareCall":
                return RoutedStatement.create(session, classifier, self, call);
            case "getAutoCommit":
                return session.autoCommit();
            case "setAutoCommit", "commit", "rollback", "setSavepoint", "releaseSavepoint":
                return control(call);
            case "unwrap", "isWrapperFor":
                return unwrapped(self, call);
            default:
                return NOTHING_TO_DO.contains(name) ? null : property(call);
        }
    }

    private Object control(Call call) throws SQLException {
        String name = call.method().getName();
        boolean whole =
                !name.endsWith("Savepoint") && call.arguments().length == (name.equals("setAutoCommit") ? 1 : 0);
        if (whole && callback) {
            throw new SQLFeatureNotSupportedException(
                    "inTransaction commits when its callback returns and rolls back when it throws", "0A000");
        }
        if (name.equals("setAutoCommit")) {
            session.setAutoCommit((Boolean) call.arguments()[0]);
            return null;
        }
        if (session.autoCommit()) {
            throw new SQLException(name + " needs a transaction: setAutoCommit(false)", "25P01");
        }
        if (!whole) {
            return session.savepoint(call);
        }
        if (name.equals("commit")) {
            session.commit();
        } else {
            session.rollback();
        }
        return null;
    }

    private Object unwrapped(Connection self, Call call) throws SQLException {
        if (((Class<?>) call.arguments()[0]).isInstance(self)) {
            return call.method().getName().equals("unwrap") ? self : (Object) true;
        }
        return call.on(session.exposed());
    }

    /** Setters are remembered and applied to physical connections; what nobody has set is asked of one. */
    private Object property(Call call) throws SQLException {
        String name = call.method().getName();
        if (name.startsWith("set")) {
            refuseApplicationName(call);
            session.leases().set(call);
            return null;
        }
        if (call.arguments().length == 0) {
            Optional<Object> value = session.leases().get(name.replaceFirst("^(get|is)", "set"));
            if (value.isPresent()) {
                return value.get();
            }
        }
        return call.on(session.physical());
    }

    private static void refuseApplicationName(Call call) throws SQLClientInfoException {
        boolean named = call.method().getName().equals("setClientInfo")
                && (APPLICATION_NAME.equals(call.arguments()[0])
                        || call.arguments()[0] instanceof Properties all && all.containsKey(APPLICATION_NAME));
        if (named) {
            throw new SQLClientInfoException(
                    "ApplicationName is how the operator and its movers recognise a router's sessions: it is not to be"
                            + " changed; mark statements by a comment in their SQL instead",
                    "0A000",
                    Map.of(APPLICATION_NAME, ClientInfoStatus.REASON_UNKNOWN));
        }
    }
}
