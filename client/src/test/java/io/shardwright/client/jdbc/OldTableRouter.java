package io.shardwright.client.jdbc;

import io.shardwright.client.TwoShards;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Two shards and a router whose table says that a bucket with one row is on the first of them. */
abstract class OldTableRouter {
    static final int BUCKET = 3;
    static final long TENANT = TwoShards.tenant(BUCKET, 0);

    static TwoShards shards;
    TestRouter router;

    @BeforeAll
    static void startShards() {
        shards = new TwoShards();
    }

    @AfterAll
    static void stopShards() {
        shards.close();
    }

    @BeforeEach
    void routerKnowsTheOldTable() {
        shards.reset();
        shards.sql("ds-0", "INSERT INTO orders (tenant_id, id, v) VALUES (" + TENANT + ", 1000000, 'seed')");
        router = new TestRouter(shards.pools(shards.server().port())).knows(shards.table(1, Map.of()));
    }

    @AfterEach
    void closeRouter() {
        router.close();
    }
}
