package io.shardwright.client.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.Set;

/**
 * A statement as the application sees it: records what it is told, and hands each execution to the session. Answers come
 * from the physical statement of the last execution.
 */
final class RoutedStatement implements InvocationHandler {
    private static final Set<String> NOTHING_YET = Set.of("getResultSet", "getWarnings", "clearWarnings");
    private static final Object[] NONE = {};

    private final Session session;
    private final Classifier classifier;
    private final Connection connection;
    private final Recording recording;
    private final Statement proxy;
    private volatile Statement running;
    private Unit unit;
    private Statement probe;
    private boolean closeOnCompletion;
    private boolean closed;

    private RoutedStatement(Session session, Classifier classifier, Connection connection, Call creation) {
        this.session = session;
        this.classifier = classifier;
        this.connection = connection;
        this.recording = new Recording(creation);
        this.proxy = (Statement) Proxy.newProxyInstance(
                RoutedStatement.class.getClassLoader(),
                new Class<?>[] {creation.method().getReturnType()},
                this);
    }

    /** @param creation the call on Connection that the application made; its type of statement is returned */
    static Statement create(Session session, Classifier classifier, Connection connection, Call creation) {
        return new RoutedStatement(session, classifier, connection, creation).proxy;
    }

    @Override
    public Object invoke(Object self, Method method, Object[] given) throws Throwable {
        Object[] arguments = given == null ? NONE : given;
        String name = method.getName();
        if (method.getDeclaringClass() == Object.class) {
            return ProxyIdentity.answer(this, self, method, arguments);
        }
        switch (name) {
            case "close":
                close();
                return null;
            case "isClosed":
                return closed;
            case "cancel": // comes from another thread
                cancel();
                return null;
            case "getConnection":
                return connection;
            case "isWrapperFor":
                return ((Class<?>) arguments[0]).isInstance(self);
            default:
                if (closed) {
                    throw new SQLException("this statement is closed", "55000");
                }
                return invokeOpen(self, new Call(method, arguments));
        }
    }

    private Object invokeOpen(Object self, Call call) throws SQLException {
        String name = call.method().getName();
        if (name.startsWith("execute")) {
            return execute(call);
        }
        if (name.startsWith("set") || name.equals("registerOutParameter")) {
            recording.set(call);
            return null;
        }
        switch (name) {
            case "addBatch":
                recording.addBatch(call);
                return null;
            case "clearBatch":
                recording.clearBatch();
                return null;
            case "clearParameters":
                recording.clearParameters();
                return null;
            case "closeOnCompletion":
                closeOnCompletion = true;
                return null;
            case "isCloseOnCompletion":
                return closeOnCompletion;
            case "unwrap":
                if (((Class<?>) call.arguments()[0]).isInstance(self)) {
                    return self;
                }
                return call.on(physical());
            default:
                return wrapped(answer(call));
        }
    }

    private Object execute(Call execution) throws SQLException {
        closeLast();
        StatementCall call = recording.call(execution, classifier, statement -> running = statement);
        if (call.isBatch()) {
            recording.clearBatch();
        }
        unit = session.execute(call);
        return wrapped(unit.execution().result());
    }

    private Object answer(Call call) throws SQLException {
        String name = call.method().getName();
        if (name.startsWith("get") && call.arguments().length == 0) {
            Optional<Object> set = recording.setting("set" + name.substring("get".length()));
            if (set.isPresent()) {
                return set.get();
            }
        }
        if (unit == null && NOTHING_YET.contains(name)) {
            return null;
        }
        return call.on(physical());
    }

    /** Of the last execution; before the first one a statement that is made, to be asked, and never executed. */
    private Statement physical() throws SQLException {
        if (unit != null) {
            return unit.execution().statement();
        }
        if (probe == null) {
            probe = (Statement) recording.creation().on(session.physical());
        }
        return probe;
    }

    private Object wrapped(Object result) {
        return result instanceof ResultSet rows ? RoutedResultSet.wrap(rows, this, unit) : result;
    }

    Statement proxy() {
        return proxy;
    }

    /** All rows of that execution have been read, or are no longer wanted. A newer execution goes on. */
    void completed(Unit finished, boolean resultSetClosed) throws SQLException {
        if (finished != null && finished.open() != null) {
            session.leases().end(finished.open());
        }
        if (resultSetClosed && closeOnCompletion && finished == unit) {
            close();
        }
    }

    private void cancel() throws SQLException {
        Statement executing = running;
        if (executing != null) {
            executing.cancel();
        }
    }

    private void closeLast() throws SQLException {
        if (unit != null) {
            Unit last = unit;
            unit = null;
            try {
                last.execution().statement().close();
            } finally {
                if (last.open() != null) {
                    session.leases().end(last.open());
                }
            }
        }
    }

    private void close() throws SQLException {
        if (!closed) {
            closed = true;
            try {
                closeLast();
            } finally {
                if (probe != null) {
                    probe.close();
                }
            }
        }
    }
}
