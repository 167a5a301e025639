package io.shardwright.client.jdbc;

import io.shardwright.routing.FenceRefusal;
import java.sql.SQLException;

/** A read found in its own snapshot that this shard does not own the bucket; treated as the fence's refusal of a write. */
final class RefusedReadException extends SQLException {
    private static final long serialVersionUID = 1L;

    private final transient FenceRefusal refusal;

    RefusedReadException(FenceRefusal refusal) {
        super("this shard does not own the bucket: " + refusal, FenceRefusal.SQL_STATE);
        this.refusal = refusal;
    }

    FenceRefusal refusal() {
        return refusal;
    }
}
