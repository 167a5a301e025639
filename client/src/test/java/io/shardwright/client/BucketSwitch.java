package io.shardwright.client;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The switch of one bucket from ds-0 to ds-1 in the order of the move protocol, step by step as a test wants it. */
public final class BucketSwitch implements AutoCloseable {
    private final int bucket;
    private final Connection source;
    private final Connection target;

    public BucketSwitch(TwoShards shards, int bucket) throws SQLException {
        this.bucket = bucket;
        source = shards.server().connect("ds-0");
        target = shards.server().connect("ds-1");
        run(source, "SET session_replication_role = replica");
        run(target, "SET session_replication_role = replica");
        run(
                target,
                "INSERT INTO shardwright.fence (scope, bucket, state, epoch) VALUES ('b:%1$d', %1$d, 'IMPORTING', 1)"
                        .formatted(bucket));
    }

    /** 7a and 7b: nobody can enter the bucket on either side when it returns. */
    public BucketSwitch drain() throws SQLException {
        run(target, "SELECT pg_advisory_lock(7001, " + bucket + ")");
        source.setAutoCommit(false);
        run(source, "SELECT pg_advisory_xact_lock(7001, " + bucket + ")");
        return this;
    }

    /** 7b gives up: writers go on where they are. */
    public void giveUp() throws SQLException {
        source.rollback();
        run(target, "SELECT pg_advisory_unlock(7001, " + bucket + ")");
    }

    /** 7c. */
    public BucketSwitch fence() throws SQLException {
        run(
                source,
                "UPDATE shardwright.fence SET state = 'MOVED', epoch = 2, owner = 'ds-1' WHERE state = 'OWNED' AND"
                        + " bucket = "
                        + bucket);
        source.commit();
        source.setAutoCommit(true);
        return this;
    }

    /** The target's lock session dies before 7d: whoever comes is refused by IMPORTING instead of waiting. */
    public BucketSwitch loseTargetLock() throws SQLException {
        run(target, "SELECT pg_advisory_unlock(7001, " + bucket + ")");
        return this;
    }

    /** 7d: the rows, the activation, and only then the target's lock. The source's rows stay, as before a cleanup. */
    public BucketSwitch activate() throws SQLException {
        try (Statement select = source.createStatement();
                ResultSet rows = select.executeQuery("SELECT format('(%s, %s, %L)', tenant_id, id, v) FROM orders WHERE"
                        + " shardwright.bucket_of(tenant_id::text) = "
                        + bucket)) {
            while (rows.next()) {
                run(target, "INSERT INTO orders (tenant_id, id, v) VALUES " + rows.getString(1));
            }
        }
        run(target, "UPDATE shardwright.fence SET state = 'OWNED', epoch = 2, owner = 'ds-1' WHERE bucket = " + bucket);
        run(target, "SELECT pg_advisory_unlock(7001, " + bucket + ")");
        return this;
    }

    /** After a cleanup the source has nothing left but the tombstone. */
    public BucketSwitch cleanUp() throws SQLException {
        run(source, "DELETE FROM orders WHERE shardwright.bucket_of(tenant_id::text) = " + bucket);
        return this;
    }

    private static void run(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    @Override
    public void close() throws SQLException {
        source.close();
        target.close();
    }
}
