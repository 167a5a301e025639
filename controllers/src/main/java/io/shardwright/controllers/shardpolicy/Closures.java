package io.shardwright.controllers.shardpolicy;

import io.shardwright.crds.Reason;
import io.shardwright.planning.windows.Closure;

/** Windows and freezes in the words of conditions. */
public final class Closures {
    private Closures() {}

    public static Reason reason(Closure closure) {
        return switch (closure.cause()) {
            case OUTSIDE -> Reason.OUTSIDE_WINDOWS;
            case FROZEN -> Reason.FROZEN;
            case UNREADABLE -> Reason.WINDOW_UNFIT;
        };
    }
}
