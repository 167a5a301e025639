package io.shardwright.stage.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.function.LongPredicate;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * Whose order comes next. While the file with hot tenants names any, half of the operations are theirs; while the file with hot
 * buckets names any, half of the others go there. Both are read again every second by {@link #refresh}, because what is hot becomes
 * known, and ends, while the load runs.
 */
final class TenantChoice {
    static final String HOT_TENANTS = "hot-tenants";
    static final String HOT_BUCKETS = "hot-buckets";

    private final List<List<Long>> tenantsByBucket;
    private final Set<Long> tenants;
    private final Path directory;
    private volatile long[] hotTenants = {};
    private volatile long[] hotBuckets = {};

    /** @param directory may have the files: numbers of tenants or of buckets, separated by commas; unknown ones are passed over */
    TenantChoice(List<List<Long>> tenantsByBucket, Path directory) {
        this.tenantsByBucket = tenantsByBucket;
        this.tenants = tenantsByBucket.stream().flatMap(List::stream).collect(Collectors.toSet());
        this.directory = directory;
    }

    void refresh() {
        hotTenants = read(HOT_TENANTS, tenants::contains, hotTenants);
        hotBuckets = read(HOT_BUCKETS, bucket -> bucket >= 0 && bucket < tenantsByBucket.size(), hotBuckets);
    }

    private long[] read(String name, LongPredicate known, long[] before) {
        Path file = directory.resolve(name);
        try {
            return Files.exists(file) ? parse(Files.readString(file), known) : new long[0];
        } catch (IOException | NumberFormatException beingWritten) {
            return before; // what was hot before stays so for another second
        }
    }

    private static long[] parse(String text, LongPredicate known) {
        return Arrays.stream(text.strip().split(","))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .mapToLong(Long::parseLong)
                .filter(known)
                .toArray();
    }

    long next(RandomGenerator random) {
        long[] chosen = hotTenants;
        if (chosen.length > 0 && random.nextBoolean()) {
            return chosen[random.nextInt(chosen.length)];
        }
        List<Long> ofBucket = tenantsByBucket.get(bucket(random));
        return ofBucket.get(random.nextInt(ofBucket.size()));
    }

    private int bucket(RandomGenerator random) {
        long[] chosen = hotBuckets;
        return chosen.length > 0 && random.nextBoolean()
                ? (int) chosen[random.nextInt(chosen.length)]
                : random.nextInt(tenantsByBucket.size());
    }
}
