package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.BucketSwitch;
import io.shardwright.client.errors.AmbiguousWriteException;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.faults.Fault;
import io.shardwright.servers.faults.FaultProxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Case 31: the connection breaks at an application's COMMIT for which the mover of its bucket waits. */
class CutCommitIT extends OldTableRouter {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** Held exclusively or waited for so. */
    private static final String MOVER_WAITS =
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND mode = 'ExclusiveLock' AND NOT granted";

    /** @param lands the server had the COMMIT before the connection broke */
    @ParameterizedTest
    @CsvSource({"CUT_BEFORE, false", "CUT_AFTER, true"})
    void aCommitThatIsCutWhileTheMoverWaitsForItIsUnknownAndOnTheNewOwnerOrNowhere(Fault fault, boolean lands)
            throws Exception {
        try (FaultProxy proxy = FaultProxy.before(shards.server(), TestRouter.INSTANCE);
                TestRouter cutOff = new TestRouter(shards.pools(proxy.port())).knows(shards.table(1, Map.of()));
                BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            CompletableFuture<BucketSwitch> drained = commitAgainst(cutOff, proxy, bucket, fault);

            drained.get(LIMIT.toSeconds(), TimeUnit.SECONDS).fence().activate().cleanUp();

            assertThat(proxy.struck()).isPresent();
            assertThat(cutOff.counters.ambiguous()).isEqualTo(1);
            assertThat(cutOff.counters.replays()).isZero();
            assertThat(shards.values("ds-1", TENANT)).isEqualTo(lands ? List.of("once", "seed") : List.of("seed"));
            assertThat(shards.values("ds-0", TENANT)).as("the old owner").isEmpty();
        }
    }

    /** @return the drain, which the transaction has held up until its end */
    private static CompletableFuture<BucketSwitch> commitAgainst(
            TestRouter cutOff, FaultProxy proxy, BucketSwitch bucket, Fault fault) throws SQLException {
        try (ShardScope scope = cutOff.key(TENANT);
                Connection connection = cutOff.dataSource.getConnection();
                Statement insert = connection.createStatement()) {
            connection.setAutoCommit(false);
            insert.execute("INSERT INTO orders VALUES (" + scope.key().text() + ", 77, 'once')");
            CompletableFuture<BucketSwitch> draining = CompletableFuture.supplyAsync(() -> drain(bucket));
            Eventually.until(
                    "the mover to wait for the writer",
                    LIMIT,
                    () -> shards.server().query("ds-0", MOVER_WAITS).equals(List.of(List.of("1"))),
                    () -> "drained: " + draining.isDone());
            proxy.arm(effect -> true, fault);

            assertThatThrownBy(connection::commit)
                    .isInstanceOfSatisfying(
                            AmbiguousWriteException.class,
                            unknown -> assertThat(unknown.shard()).isEqualTo("ds-0"));
            return draining;
        }
    }

    private static BucketSwitch drain(BucketSwitch bucket) {
        try {
            return bucket.drain();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
