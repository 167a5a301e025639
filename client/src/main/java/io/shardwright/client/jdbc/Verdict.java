package io.shardwright.client.jdbc;

import io.shardwright.routing.FenceRefusal;
import io.shardwright.routing.FenceState;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/** What an error of the driver means for a unit of work. Works for any driver that keeps SQLSTATEs. */
final class Verdict {
    /** After these the connection is of no use. */
    private static final Set<String> LOST = Set.of("57P01", "57P02", "57P03");

    /** Of those, the ones that say that nothing was sent. */
    private static final Set<String> NOT_SENT = Set.of("08001", "08003", "08004", "57P03");

    private Verdict() {}

    /** Present when the fence refused; the given bucket stands in when the database did not name one. */
    static Optional<FenceRefusal> refusal(SQLException error, int bucket) {
        for (Throwable cause = error; cause != null; cause = next(cause)) {
            if (cause instanceof RefusedReadException read) {
                return Optional.of(read.refusal());
            }
            if (cause instanceof SQLException sql && FenceRefusal.SQL_STATE.equals(sql.getSQLState())) {
                return Optional.of(parse(sql, bucket));
            }
        }
        return Optional.empty();
    }

    /** The connection is gone. */
    static boolean isLost(SQLException error) {
        String state = error.getSQLState();
        return state != null && (state.startsWith("08") || LOST.contains(state));
    }

    /** The connection is gone, and what was sent last may have been executed. */
    static boolean isUnanswered(SQLException error) {
        return isLost(error) && isSent(error);
    }

    /** Nothing says that it never got to the database. */
    static boolean isSent(SQLException error) {
        return error.getSQLState() == null || !NOT_SENT.contains(error.getSQLState());
    }

    private static Throwable next(Throwable error) {
        if (error.getCause() != null && error.getCause() != error) {
            return error.getCause();
        }
        return error instanceof SQLException sql ? sql.getNextException() : null;
    }

    /** The DETAIL is JSON and the only braces of the message, in whatever language the driver wraps it. */
    private static FenceRefusal parse(SQLException error, int bucket) {
        String message = String.valueOf(error.getMessage());
        int open = message.indexOf('{');
        int close = message.lastIndexOf('}');
        if (open >= 0 && close > open) {
            try {
                return FenceRefusal.parse(message.substring(open, close + 1));
            } catch (IllegalArgumentException malformed) {
                error.addSuppressed(malformed);
            }
        }
        return new FenceRefusal(
                bucket, FenceState.ABSENT, null, 0, null); // a standby says no more than "not a primary"
    }
}
