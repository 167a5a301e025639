package io.shardwright.client.jdbc;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.ResultSet;

/** Rows of a routed statement: reading the last one, or closing, ends an autocommit unit of work. */
final class RoutedResultSet implements InvocationHandler {
    private final ResultSet rows;
    private final RoutedStatement statement;
    private final Unit unit;

    private RoutedResultSet(ResultSet rows, RoutedStatement statement, Unit unit) {
        this.rows = rows;
        this.statement = statement;
        this.unit = unit;
    }

    /** @param unit the execution that gave the rows, which need not be the last one of its statement; or null */
    static ResultSet wrap(ResultSet rows, RoutedStatement statement, Unit unit) {
        return (ResultSet) Proxy.newProxyInstance(
                RoutedResultSet.class.getClassLoader(),
                new Class<?>[] {ResultSet.class},
                new RoutedResultSet(rows, statement, unit));
    }

    @Override
    public Object invoke(Object self, Method method, Object[] given) throws Throwable {
        Object[] arguments = given == null ? new Object[0] : given;
        if (method.getDeclaringClass() == Object.class) {
            return ProxyIdentity.answer(this, self, method, arguments);
        }
        switch (method.getName()) {
            case "getStatement":
                return statement.proxy();
            case "close":
                try {
                    rows.close();
                } finally { // an attempt that stays in flight would hold every acknowledgement back
                    statement.completed(unit, true);
                }
                return null;
            case "next":
                boolean more = rows.next();
                if (!more) {
                    statement.completed(unit, false);
                }
                return more;
            default:
                return Call.invoke(rows, method, arguments);
        }
    }
}
