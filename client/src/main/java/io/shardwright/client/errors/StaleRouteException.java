package io.shardwright.client.errors;

import io.shardwright.routing.FenceRefusal;
import java.sql.SQLException;
import java.sql.SQLTransientException;

/**
 * The database does not serve the bucket, and the library may not repeat the work (the application has seen results) or
 * has repeated it as often as it may. Nothing was written: roll back and run the whole transaction again, or use
 * {@code inTransaction}, which does so. The SQLSTATE is the database's, SH409.
 */
public class StaleRouteException extends SQLTransientException {
    private static final long serialVersionUID = 1L;

    private final transient FenceRefusal refusal;

    public StaleRouteException(String reason, FenceRefusal refusal, SQLException cause) {
        super(reason + ": " + refusal, FenceRefusal.SQL_STATE, cause);
        this.refusal = refusal;
    }

    /** What the database said; null only after serialization. */
    public FenceRefusal refusal() {
        return refusal;
    }
}
