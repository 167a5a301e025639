package io.shardwright.controllers.shardcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class OwnershipDoubtsTest {
    private static final int BUCKETS = 4;

    private final OwnershipDoubts doubts = new OwnershipDoubts();

    private Optional<OwnershipDoubts.Found> look(ShardSight... shards) {
        return doubts.look(BUCKETS, Optional.of(sight(shards)));
    }

    private static ClusterSight sight(ShardSight... shards) {
        TreeMap<String, ShardSight> all = new TreeMap<>();
        List.of(shards).forEach(shard -> all.put(shard.shard(), shard));
        return new ClusterSight(new ClusterTarget(List.of(), null), all, true);
    }

    private static ShardSight owns(String shard, Integer... buckets) {
        Map<Integer, FenceRow> fence = new HashMap<>();
        List.of(buckets).forEach(bucket -> fence.put(bucket, new FenceRow(bucket, FenceState.OWNED, 1, shard, null)));
        return shard(shard, fence, List.of());
    }

    private static ShardSight silent(String shard) {
        return shard(shard, Map.of(), List.of(new Problem(Problem.Kind.UNREACHABLE, "no answer")));
    }

    private static ShardSight shard(String name, Map<Integer, FenceRow> fence, List<Problem> problems) {
        return new ShardSight(
                name,
                Optional.of(new ShardAccess.Endpoint("a", name, 5432)),
                "17.2",
                "system-" + name,
                1,
                1,
                fence,
                true,
                Set.of(),
                "schema",
                problems);
    }

    @Test
    void believesTwoOwnersOrNoneOnlyWhenTwoLooksShowThemOfTheSameBucket() {
        look(owns("ds-0", 0, 1), owns("ds-1", 2, 3));

        assertThat(look(owns("ds-0", 0, 1, 2), owns("ds-1", 2))).contains(new OwnershipDoubts.Found(0, 0));
        assertThat(look(owns("ds-0", 0, 1, 3), owns("ds-1", 3))).contains(new OwnershipDoubts.Found(0, 0));
        assertThat(look(owns("ds-0", 0, 3), owns("ds-1", 3))).contains(new OwnershipDoubts.Found(1, 1));
        assertThat(look(owns("ds-0", 0, 1), owns("ds-1", 2, 3))).contains(new OwnershipDoubts.Found(0, 0));
    }

    @Test
    void learnsNothingFromSeeingTheSameLookAgain() {
        ClusterSight once = sight(owns("ds-0", 0, 1), owns("ds-1", 1, 2, 3));

        assertThat(doubts.look(BUCKETS, Optional.of(once))).isEmpty();
        assertThat(doubts.look(BUCKETS, Optional.of(once))).isEmpty();
        assertThat(look(owns("ds-0", 0, 1), owns("ds-1", 1, 2, 3))).contains(new OwnershipDoubts.Found(1, 0));
    }

    @Test
    void knowsNothingWhileAShardCannotBeRead() {
        look(owns("ds-0", 0, 1), owns("ds-1", 2, 3));
        assertThat(look(owns("ds-0", 0, 1), silent("ds-1"))).isEmpty();
        assertThat(doubts.look(BUCKETS, Optional.empty())).isEmpty();
        assertThat(look(owns("ds-0", 0, 1), owns("ds-1", 2))).isEmpty();
        assertThat(look(owns("ds-0", 0, 1), owns("ds-1", 2))).contains(new OwnershipDoubts.Found(0, 1));
    }
}
