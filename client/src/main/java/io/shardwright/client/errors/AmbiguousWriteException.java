package io.shardwright.client.errors;

import java.sql.SQLException;
import java.sql.SQLNonTransientException;

/**
 * The write (or its COMMIT) was sent and no answer came: it may have happened, once, or not at all. Never repeated by the
 * library. SQLSTATE 08007, transaction resolution unknown.
 */
public class AmbiguousWriteException extends SQLNonTransientException {
    private static final long serialVersionUID = 1L;

    private final String shard;
    private final long revision;

    public AmbiguousWriteException(String shard, long revision, SQLException cause) {
        super(
                "no answer from " + shard + " to a write (routed by revision " + revision
                        + "): look whether it happened before repeating it",
                "08007",
                cause);
        this.shard = shard;
        this.revision = revision;
    }

    public String shard() {
        return shard;
    }

    /** Revision of the table that routed it. */
    public long revision() {
        return revision;
    }
}
