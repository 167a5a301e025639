package io.shardwright.client.jdbc;

import java.lang.reflect.Method;

/** The methods of Object on a proxy: it equals itself only. */
final class ProxyIdentity {
    private ProxyIdentity() {}

    static Object answer(Object behind, Object self, Method method, Object[] arguments) {
        return switch (method.getName()) {
            case "equals" -> self == arguments[0];
            case "hashCode" -> System.identityHashCode(self);
            default -> behind.getClass().getSimpleName() + "@" + Integer.toHexString(System.identityHashCode(self));
        };
    }
}
