package io.shardwright.dataplane.postgres.fence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.sql.SQLException;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.postgresql.util.PSQLException;

/** How the server said no. */
record Refusal(String sqlState, String message, String detail) {
    /** Fails when the call succeeds. */
    static Refusal of(ThrowingCallable call) {
        SQLException thrown = catchThrowableOfType(SQLException.class, call);
        assertThat((Throwable) thrown).as("an SQLException").isNotNull();
        return of(thrown);
    }

    static Refusal of(SQLException thrown) {
        for (Throwable cause = thrown; cause != null; cause = next(cause)) {
            if (cause instanceof PSQLException server && server.getServerErrorMessage() != null) {
                return new Refusal(
                        server.getSQLState(),
                        server.getServerErrorMessage().getMessage(),
                        server.getServerErrorMessage().getDetail());
            }
        }
        throw new AssertionError("no answer of the server", thrown);
    }

    private static Throwable next(Throwable cause) {
        return cause instanceof SQLException sql && sql.getNextException() != null
                ? sql.getNextException()
                : cause.getCause();
    }

    Refusal isStaleRoute(int bucket, String state) {
        assertThat(sqlState).as(message).isEqualTo("SH409");
        assertThat(detail.replace(" ", "")).contains("\"bucket\":" + bucket + ",", "\"state\":\"" + state + "\"");
        return this;
    }

    Refusal hints(String owner, long epoch, Object move) {
        assertThat(detail.replace(" ", ""))
                .contains(
                        "\"owner\":\"" + owner + "\"",
                        "\"epoch\":" + epoch + ",",
                        move == null ? "\"move\":null" : "\"move\":\"" + move + "\"");
        return this;
    }
}
