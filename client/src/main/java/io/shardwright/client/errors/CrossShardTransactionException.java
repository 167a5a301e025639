package io.shardwright.client.errors;

import java.sql.SQLNonTransientException;

/** A second key inside one transaction belongs to another shard. The transaction must be rolled back. */
public class CrossShardTransactionException extends SQLNonTransientException {
    private static final long serialVersionUID = 1L;

    public CrossShardTransactionException(String first, String second) {
        super(
                "one transaction, two shards: it began on " + first + ", the key now in scope belongs to " + second
                        + "; use one transaction per key",
                "25000");
    }
}
