package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.RunbookSql;
import io.shardwright.routing.FenceState;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What runbooks have a person write into the fence; ds-0 and ds-4 there are the shards of the pair. */
class RunbookIT {
    private static final UUID MOVE = UUID.randomUUID();

    private static MovePair pair;

    @BeforeAll
    static void preparePair() {
        pair = MovePair.upwards();
    }

    private static void type(String page, String containing, int bucket) {
        RunbookSql.of(page, containing, bucket, MOVE)
                .forEach(line -> line.on(line.shard().equals("ds-0") ? pair.here : pair.there));
    }

    private static String fences(int bucket) {
        return MovePair.fence(pair.here, bucket) + " / " + MovePair.fence(pair.there, bucket);
    }

    @Test
    void whatSlotsKeepIsToldWhileNobodyReadsThem() {
        RunbookSql kept = RunbookSql.of("ShardwrightNoLeader", "pg_replication_slots", 1, MOVE)
                .getFirst();
        pair.here.value("SELECT slot_name FROM pg_create_logical_replication_slot('shardwright_left_f', 'pgoutput')");
        try {
            assertThat(pair.here.server().query(pair.here.name(), kept.sql()))
                    .filteredOn(row -> row.getFirst().equals("shardwright_left_f")) // others have theirs on this server
                    .singleElement()
                    .satisfies(row -> {
                        assertThat(row.subList(1, 3)).containsExactly("f", "reserved");
                        assertThat(row.get(3)).matches("[0-9]+ (bytes|kB|MB)");
                    });
        } finally {
            pair.here.value("SELECT pg_drop_replication_slot('shardwright_left_f')");
        }
    }

    @Test
    void theOlderOfTwoOwnersIsClosedAndTheYoungerNever() {
        pair.here.setFence(1, FenceState.OWNED, 7, "ds-0", UUID.randomUUID());
        pair.there.setFence(1, FenceState.OWNED, 8, "ds-4", MOVE);
        pair.here.setFence(2, FenceState.OWNED, 9, "ds-0", UUID.randomUUID());

        type("ShardwrightTwoOwners", "UPDATE shardwright.fence", 1);
        type("ShardwrightTwoOwners", "UPDATE shardwright.fence", 2);

        assertThat(fences(1)).isEqualTo("MOVED 8 / OWNED 8");
        assertThat(pair.here
                        .server()
                        .query(pair.here.name(), "SELECT owner, move_id FROM shardwright.fence WHERE bucket = 1"))
                .containsExactly(List.of("ds-4", MOVE.toString()));
        assertThat(MovePair.fence(pair.here, 2)).isEqualTo("OWNED 9");
    }

    @Test
    void aBucketThatNobodyOwnsGoesBackToTheOneThatHasEveryWriteAndOnlyOnce() {
        pair.here.setFence(3, FenceState.MOVED, 9, "ds-4", MOVE);
        pair.there.setFence(3, FenceState.IMPORTING, 8, null, MOVE);

        type("ShardwrightBucketWithoutOwner", "'MOVE'", 3);
        type("ShardwrightBucketWithoutOwner", "'MOVE'", 3);

        assertThat(fences(3)).isEqualTo("OWNED 10 / ABORTED 8");
    }

    @Test
    void anOwnerWhoseRowIsMissingGetsIt() {
        pair.here.setFence(4, FenceState.MOVED, 8, "ds-4", MOVE);
        pair.there.plant("DELETE FROM shardwright.fence WHERE bucket = 4");

        type("ShardwrightBucketWithoutOwner", "INSERT INTO shardwright.fence", 4);

        assertThat(fences(4)).isEqualTo("MOVED 8 / OWNED 9");
    }
}
