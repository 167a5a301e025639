package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.BucketSwitch;
import io.shardwright.client.Cable;
import io.shardwright.client.TwoShards;
import io.shardwright.client.errors.AmbiguousWriteException;
import io.shardwright.client.pools.Pools;
import io.shardwright.routing.FenceState;
import io.shardwright.servers.Eventually;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Case 10: a router reaches the source and not the target of a bucket that has moved. Its work goes nowhere else. */
class CutOffTargetIT extends OldTableRouter {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** A pool gives up so soon. */
    private static final Duration PATIENCE = Duration.ofMillis(300);

    private static final String WRITE = "UPDATE orders SET v = v || '+' WHERE tenant_id = " + TENANT;

    private Cable toTarget;
    private BucketSwitch bucket;

    @BeforeEach
    void switchTheBucket() throws IOException, SQLException {
        router.close();
        int direct = shards.server().port();
        toTarget = new Cable(shards.server().host(), direct);
        Pools source = shards.pools(direct);
        Pools target = shards.pools(toTarget.port(), 4, "", PATIENCE);
        router = new TestRouter(wanted -> (wanted.shard().equals("ds-1") ? target : source).open(wanted))
                .knows(shards.table(1, Map.of()));
        bucket = new BucketSwitch(shards, BUCKET).drain().fence().activate();
    }

    @AfterEach
    void mendEverything() throws IOException, SQLException {
        bucket.close();
        toTarget.close();
    }

    @ParameterizedTest
    @MethodSource("io.shardwright.client.jdbc.WriteMode#all")
    void workMeetsATransientErrorWritesNothingAndIsDoneOnceWhenTheTargetIsBack(WriteMode mode) throws IOException {
        toTarget.cut();

        assertUnreachable(mode.work());

        assertThat(shards.values("ds-0", TENANT)).as("the old owner").containsExactly("seed");
        assertThat(shards.values("ds-1", TENANT)).as("the new owner").containsExactly("seed");
        assertThat(router.counters.refusals(FenceState.MOVED))
                .as("asked at the source")
                .isEqualTo(1);
        assertThat(router.counters.ambiguous()).as("nothing was sent").isZero();

        toTarget.mend();
        Eventually.until("the work to be done", LIMIT, () -> isDone(mode.work()), () -> "of " + mode);
        assertThat(shards.values("ds-1", TENANT)).isEqualTo(mode.after());
        assertThat(shards.values("ds-0", TENANT)).as("the old owner").containsExactly("seed");
    }

    private void assertUnreachable(Work work) {
        assertThatThrownBy(() -> work.run(router))
                .isInstanceOfSatisfying(SQLTransientConnectionException.class, error -> {
                    assertThat(error.getSQLState()).isEqualTo("08001");
                    assertThat(error.getMessage()).contains("shard ds-1");
                });
    }

    /** As an application that tries again after a transient error, and after no other. */
    private boolean isDone(Work work) {
        try {
            work.run(router);
            return true;
        } catch (SQLTransientConnectionException again) {
            return false;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aRouterThatKnowsTheNewOwnerDoesNotAskTheOldOneAndOtherBucketsGoOn() throws IOException, SQLException {
        router.knows(shards.table(2, Map.of(BUCKET, "ds-1")));
        toTarget.cut();

        assertUnreachable(Work.statement(WRITE));

        assertThat(router.counters.refusals(FenceState.MOVED)).isZero();
        assertThat(shards.values("ds-0", TENANT)).containsExactly("seed");
        long neighbour = TwoShards.tenant(BUCKET + 1, 0);
        try (ShardScope scope = router.key(neighbour);
                Connection connection = router.dataSource.getConnection();
                Statement insert = connection.createStatement()) {
            insert.execute("INSERT INTO orders VALUES (" + scope.key().text() + ", 1, 'x')");
        }
        assertThat(shards.values("ds-0", neighbour)).containsExactly("x");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aTransactionWhoseTargetIsCutOffLeavesNothingOnEitherSide(boolean allWritten) throws IOException, SQLException {
        try (ShardScope scope = router.key(TENANT);
                Connection connection = router.dataSource.getConnection();
                Statement write = connection.createStatement()) {
            connection.setAutoCommit(false);
            assertThat(scope.key().text()).isEqualTo(Long.toString(TENANT));
            assertThat(write.executeUpdate(WRITE)).isEqualTo(1);
            toTarget.cut();

            if (allWritten) {
                assertThatThrownBy(connection::commit).isInstanceOf(AmbiguousWriteException.class);
            } else {
                assertThatThrownBy(() -> write.executeUpdate(WRITE))
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                error -> assertThat(error.getSQLState()).startsWith("08"));
            }
        }
        assertThat(router.counters.replays())
                .as("from the source to the target, before")
                .isEqualTo(1);
        assertThat(List.of(shards.values("ds-0", TENANT), shards.values("ds-1", TENANT)))
                .containsOnly(List.of("seed"));
    }
}
