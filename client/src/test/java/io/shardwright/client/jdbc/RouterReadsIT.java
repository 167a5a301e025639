package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.BucketSwitch;
import io.shardwright.client.table.Contact;
import io.shardwright.client.table.FenceWatch;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What a router with the old table may read, and when it has to ask first. */
class RouterReadsIT extends OldTableRouter {
    @Test
    void aReadOnlyTransactionEntersNothingAndStaysWhereItBegan() throws Exception {
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate();
            Work.transaction(connection -> {
                        connection.setReadOnly(true);
                        try (Statement read = connection.createStatement();
                                ResultSet rows =
                                        read.executeQuery("SELECT v FROM orders WHERE tenant_id = " + TENANT)) {
                            assertThat(rows.next())
                                    .as("the old owner still has its rows")
                                    .isTrue();
                        }
                    })
                    .run(router);
        }
        assertThat(router.counters.replays()).isZero();
    }

    @Test
    void aRouterThatNobodyConfirmsNeverReadsAnEmptiedBucketAsNoRows() throws Exception {
        Work read = Work.connected(connection -> {
            try (Statement select = connection.createStatement();
                    ResultSet rows = select.executeQuery("SELECT v FROM orders WHERE tenant_id = " + TENANT)) {
                assertThat(rows.next()).as("the row, on whichever shard").isTrue();
            }
        });
        Work readOnly = Work.transaction(connection -> {
            connection.setReadOnly(true);
            try (Statement select = connection.createStatement();
                    ResultSet rows = select.executeQuery("SELECT v FROM orders WHERE tenant_id = " + TENANT)) {
                assertThat(rows.next()).as("the row, on whichever shard").isTrue();
            }
        });
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate().cleanUp();
            assertThatThrownBy(() -> read.run(router))
                    .as("the contrast: a trusted router")
                    .isInstanceOf(AssertionError.class);

            router.nanos.addAndGet(Duration.ofSeconds(31).toNanos());

            read.run(router);
            readOnly.run(router);
        }
        assertThat(router.counters.replays()).isEqualTo(2);
    }

    @Test
    void aCutOffRouterLearnsTheOwnerFromTheFencesAndNeedsNoReplay() throws Exception {
        FenceWatch fences = new FenceWatch(TestRouter.INSTANCE, router.table, router.pools, router.contact);
        try (BucketSwitch bucket = new BucketSwitch(shards, BUCKET)) {
            bucket.drain().fence().activate();
            fences.look();
            assertThat(router.table.require().overlay())
                    .as("not cut off: nothing is asked")
                    .isEmpty();
            router.nanos.addAndGet(Contact.CUT_OFF_AFTER.toNanos());

            fences.look();

            assertThat(router.table.require().overlay()).containsOnlyKeys(BUCKET);
            Work.prepared("UPDATE orders SET v = ? WHERE tenant_id = ?", "changed")
                    .run(router);
        }
        assertThat(shards.values("ds-1", TENANT)).containsExactly("changed");
        assertThat(router.counters.replays()).isZero();
        router.nanos.addAndGet(Duration.ofSeconds(15).toNanos());
        assertThat(router.contact.readsMustCheck("ds-1")).as("polled 15 s ago").isFalse();
    }

    @Test
    void anAutocommitReadHoldsItsTableUntilItsResultSetIsClosed() throws Exception {
        Work.connected(connection -> {
                    try (Statement select = connection.createStatement();
                            ResultSet rows = select.executeQuery("SELECT v FROM orders")) {
                        router.knows(shards.table(2, Map.of()));
                        assertThat(rows.next()).isTrue();
                        assertThat(oldestInFlight()).isEqualTo(1);
                        rows.close();
                        assertThat(oldestInFlight())
                                .as("the connection alone holds nothing")
                                .isEqualTo(2);
                    }
                })
                .run(router);
    }

    private long oldestInFlight() {
        return router.flights.oldest(router.table.require().order()).revision();
    }
}
