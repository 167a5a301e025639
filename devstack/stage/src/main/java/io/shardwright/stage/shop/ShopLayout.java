package io.shardwright.stage.shop;

import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.ShardKey;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Where the sample application's tenants live before Shardwright comes: buckets in contiguous runs over the first shards, as
 * a team would have placed them, and the same number of tenants in every bucket.
 *
 * @param buckets buckets of the cluster
 * @param shards how many shards hold data at the start: {@code ds-0} and following
 * @param tenantsPerBucket tenants in each bucket; their ids are the smallest that fit
 * @param ordersPerTenant orders that each tenant begins with
 */
public record ShopLayout(int buckets, int shards, int tenantsPerBucket, int ordersPerTenant) {
    public ShopLayout {
        if (shards < 1 || shards > buckets || tenantsPerBucket < 1) {
            throw new IllegalArgumentException("at least one tenant in each bucket, at least one bucket on each shard");
        }
    }

    /** 100 buckets, four tenants in each, five orders for each tenant. */
    public static ShopLayout ordinary(int shards) {
        return new ShopLayout(100, shards, 4, 5);
    }

    public static String shardName(int index) {
        return "ds-" + index;
    }

    public int bucketOf(long tenant) {
        return new Bucketing(HashFunction.MD5, buckets).bucketOf(ShardKey.of(KeyType.INT64, tenant));
    }

    /** The index of the shard that holds the bucket at the start. */
    public int shardOf(int bucket) {
        return (int) ((long) bucket * shards / buckets);
    }

    /** The tenants of every bucket, in order of bucket. */
    public List<List<Long>> tenantsByBucket() {
        var tenants = new ArrayList<List<Long>>();
        IntStream.range(0, buckets).forEach(bucket -> tenants.add(new ArrayList<>()));
        int placed = 0;
        for (long tenant = 1; placed < buckets * tenantsPerBucket; tenant++) {
            var bucket = tenants.get(bucketOf(tenant));
            if (bucket.size() < tenantsPerBucket) {
                bucket.add(tenant);
                placed++;
            }
        }
        return tenants.stream().map(List::copyOf).toList();
    }

    /** The tenants whose rows the shard holds at the start. */
    public List<Long> tenantsOf(int shard) {
        var byBucket = tenantsByBucket();
        return IntStream.range(0, buckets)
                .filter(bucket -> shardOf(bucket) == shard)
                .mapToObj(byBucket::get)
                .flatMap(List::stream)
                .toList();
    }
}
