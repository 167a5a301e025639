package io.shardwright.client.jdbc;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.SQLException;

/** A JDBC call that can be made on any physical object. */
record Call(Method method, Object[] arguments) {
    Object on(Object target) throws SQLException {
        return invoke(target, method, arguments);
    }

    /** As {@link #on}, with the first argument (a parameter's index) moved up. */
    void shifted(Object target, int by) throws SQLException {
        Object[] moved = arguments.clone();
        if (by > 0 && moved[0] instanceof Integer index) {
            moved[0] = index + by;
        }
        invoke(target, method, moved);
    }

    static Object invoke(Object target, Method method, Object... arguments) throws SQLException {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            if (cause instanceof SQLException sql) {
                throw sql;
            }
            if (cause instanceof RuntimeException runtime) {
                throw runtime;
            }
            if (cause instanceof Error error) {
                throw error;
            }
            throw new SQLException("unexpected failure of " + method.getName(), cause);
        } catch (IllegalAccessException e) {
            throw new SQLException("JDBC interfaces are public", e);
        }
    }
}
