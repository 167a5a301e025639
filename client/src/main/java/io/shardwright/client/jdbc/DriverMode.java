package io.shardwright.client.jdbc;

import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/**
 * Whether a driver sends the statements of one prepared text in one message, and so, in autocommit, as one transaction.
 * pgjdbc does in its extended modes and does not in its simple one; of another driver, or one behind a wrapper that hides
 * it, nothing is known. Asked by reflection: the library does not depend on a driver.
 */
final class DriverMode {
    private static final Set<String> AT_ONCE = Set.of("EXTENDED", "EXTENDED_FOR_PREPARED", "EXTENDED_CACHE_EVERYTHING");

    private static final ClassValue<Optional<Method>> QUERY_MODE = new ClassValue<>() {
        @Override
        protected Optional<Method> computeValue(Class<?> driver) {
            try {
                return Optional.of(driver.getMethod("getPreferQueryMode"));
            } catch (NoSuchMethodException e) {
                return Optional.empty();
            }
        }
    };

    private DriverMode() {}

    /** False when it is not known. */
    static boolean sendsTextAtOnce(Connection connection) {
        try {
            Connection driver = connection.unwrap(Connection.class);
            Optional<Method> mode = QUERY_MODE.get(driver.getClass());
            return mode.isPresent()
                    && AT_ONCE.contains(String.valueOf(mode.get().invoke(driver)));
        } catch (SQLException | ReflectiveOperationException e) {
            return false;
        }
    }
}
