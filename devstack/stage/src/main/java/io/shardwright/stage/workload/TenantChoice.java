package io.shardwright.stage.workload;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Whose order comes next. While the file with hot buckets names any, half of the operations go there; it is read again every
 * second by {@link #refresh}, because a plan becomes known while the load runs.
 */
final class TenantChoice {
    private final List<List<Long>> tenantsByBucket;
    private final Path hotFile;
    private volatile int[] hot = {};

    /** @param hotFile bucket numbers, separated by commas; may be missing */
    TenantChoice(List<List<Long>> tenantsByBucket, Path hotFile) {
        this.tenantsByBucket = tenantsByBucket;
        this.hotFile = hotFile;
    }

    void refresh() {
        try {
            hot = Files.exists(hotFile) ? parse(Files.readString(hotFile)) : new int[0];
        } catch (IOException | NumberFormatException beingWritten) {
            // what was hot before stays so for another second
        }
    }

    private int[] parse(String text) {
        return Arrays.stream(text.strip().split(","))
                .map(String::strip)
                .filter(word -> !word.isEmpty())
                .mapToInt(Integer::parseInt)
                .filter(bucket -> bucket >= 0 && bucket < tenantsByBucket.size())
                .toArray();
    }

    long next(RandomGenerator random) {
        int[] chosen = hot;
        boolean isHot = chosen.length > 0 && random.nextBoolean();
        int bucket = isHot ? chosen[random.nextInt(chosen.length)] : random.nextInt(tenantsByBucket.size());
        List<Long> tenants = tenantsByBucket.get(bucket);
        return tenants.get(random.nextInt(tenants.size()));
    }
}
