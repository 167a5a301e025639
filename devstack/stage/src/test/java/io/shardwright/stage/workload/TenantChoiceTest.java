package io.shardwright.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TenantChoiceTest {
    private static final int DRAWS = 10_000;

    @TempDir
    private Path directory;

    /** Bucket b has the tenants 10 b and 10 b + 1. */
    private final List<List<Long>> tenants = LongStream.range(0, 100)
            .mapToObj(bucket -> List.of(10 * bucket, 10 * bucket + 1))
            .toList();

    private double shareOfBucketsBelow(int limit, TenantChoice choice) {
        Random random = new Random(7);
        return IntStream.range(0, DRAWS)
                        .mapToLong(draw -> choice.next(random) / 10)
                        .filter(bucket -> bucket < limit)
                        .count()
                / (double) DRAWS;
    }

    @Test
    void withoutAFileAllBucketsAreAlike() {
        TenantChoice choice = new TenantChoice(tenants, directory);
        choice.refresh();
        assertThat(shareOfBucketsBelow(20, choice)).isBetween(0.18, 0.22);
    }

    @Test
    void halfOfTheOperationsGoToTheHotBucketsWhileAFileNamesThem() throws IOException {
        Path file = Files.writeString(directory.resolve("hot-buckets"), "0,1,2, 3 ,4,999\n");
        TenantChoice choice = new TenantChoice(tenants, directory);
        choice.refresh();
        assertThat(shareOfBucketsBelow(5, choice))
                .as("half, and their share of the rest")
                .isBetween(0.50, 0.55);

        Files.writeString(file, "half-writ");
        choice.refresh();
        assertThat(shareOfBucketsBelow(5, choice)).as("as before").isBetween(0.50, 0.55);

        Files.delete(file);
        choice.refresh();
        assertThat(shareOfBucketsBelow(5, choice)).isBetween(0.03, 0.07);
    }

    private double shareOf(long tenant, TenantChoice choice) {
        Random random = new Random(7);
        return IntStream.range(0, DRAWS)
                        .filter(draw -> choice.next(random) == tenant)
                        .count()
                / (double) DRAWS;
    }

    @Test
    void aTenantIsWrittenHardAsLongAsAFileNamesIt() throws IOException {
        Path file = Files.writeString(directory.resolve("hot-tenants"), "421, 7\n"); // 7 is nobody
        TenantChoice choice = new TenantChoice(tenants, directory);
        choice.refresh();
        assertThat(shareOf(421, choice)).isBetween(0.48, 0.53);
        assertThat(shareOf(420, choice)).as("its neighbour in the bucket").isLessThan(0.01);
        assertThat(shareOf(7, choice)).isZero();

        Files.writeString(file, "");
        choice.refresh();
        assertThat(shareOf(421, choice)).isLessThan(0.02);
    }

    @Test
    void hotBucketsShareWhatHotTenantsLeave() throws IOException {
        Files.writeString(directory.resolve("hot-tenants"), "421");
        Files.writeString(directory.resolve("hot-buckets"), "0");
        TenantChoice choice = new TenantChoice(tenants, directory);
        choice.refresh();

        assertThat(shareOf(421, choice)).isBetween(0.48, 0.53);
        assertThat(shareOfBucketsBelow(1, choice)).isBetween(0.23, 0.28);
    }
}
