package io.shardwright.stage.shop;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ShopLayoutTest {
    private final ShopLayout layout = new ShopLayout(100, 4, 4, 5);

    @Test
    void putsTheSameNumberOfTenantsIntoEveryBucket() {
        var tenants = layout.tenantsByBucket();

        assertThat(tenants).hasSize(100).allSatisfy(bucket -> assertThat(bucket).hasSize(4));
        IntStream.range(0, 100)
                .forEach(bucket ->
                        assertThat(tenants.get(bucket)).allMatch(tenant -> layout.bucketOf(tenant) == bucket));
    }

    @Test
    void givesEveryShardAContiguousRunOfBuckets() {
        assertThat(IntStream.range(0, 100).map(layout::shardOf).boxed().toList())
                .isSorted();
        assertThat(List.of(layout.shardOf(0), layout.shardOf(24), layout.shardOf(25), layout.shardOf(99)))
                .containsExactly(0, 0, 1, 3);
    }

    @Test
    void forgetsNoTenant() {
        var placed = IntStream.range(0, 4)
                .mapToObj(layout::tenantsOf)
                .flatMap(List::stream)
                .toList();

        assertThat(placed).hasSize(400).doesNotHaveDuplicates();
    }
}
