package io.shardwright.dataplane.postgres.probe;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static io.shardwright.dataplane.postgres.ShopDatabase.keysIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.shardwright.dataplane.Placement;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.PostgresShards;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.servers.PostgresServer.Version;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** The placement of data that was there before Shardwright. */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PlacementScanIT {
    @Parameter
    Version version;

    private final PostgresShards shards = new PostgresShards(new PostgresSessions());
    private ShopDatabase shop;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) {
        shop = ShopDatabase.create(SharedServers.of(version), "placement", ShopDatabase.TABLES + """
                SET ROLE shop_owner;
                CREATE TABLE currencies (code text PRIMARY KEY, digits int);
                CREATE TABLE notes (owner text PRIMARY KEY);
                RESET ROLE;""");
        shop.plant("INSERT INTO currencies VALUES ('EUR', 2), ('JPY', 0)");
        for (long key : keysIn(17, 12)) {
            shop.plant("INSERT INTO orders VALUES (%1$d, 1), (%1$d, 2); INSERT INTO order_items VALUES (%1$d, 1, 1)"
                    .formatted(key));
        }
        shop.plant("INSERT INTO orders VALUES (-1, 1), (%d, 1)".formatted(keyIn(42)));
        shop.plant("INSERT INTO notes VALUES ('a'), ('A'), ('ü ')");
    }

    @Test
    void countsRowsOfAllTablesPerBucketWithExamples() throws ShardException {
        Placement placement = shards.scan(shop.access(), ShopDatabase.SCHEMA);

        assertThat(placement.rowsPerBucket()).containsExactly(entry(3, 1L), entry(17, 36L), entry(42, 1L));
        assertThat(placement.exampleKeys().get(17))
                .hasSize(10)
                .isSubsetOf(keysIn(17, 12).stream().map(String::valueOf).toList());
        assertThat(placement.exampleKeys().get(3)).containsExactly("-1");
        assertThat(placement.rowsPerModulo()).containsEntry(99, 1L);
        assertThat(placement.rowsPerModulo().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(38);
    }

    @Test
    void countsByModuloWhenThatIsTheFunction() throws ShardException {
        ShardedSchema modulo = new ShardedSchema(
                KeyType.INT64, new Bucketing(HashFunction.MODULO, 100), ShopDatabase.SCHEMA.tables(), List.of());

        Placement placement = shards.scan(shop.access(), modulo);

        assertThat(placement.rowsPerBucket()).isEqualTo(placement.rowsPerModulo());
    }

    @Test
    void textKeysAreTakenAsTheyAre() throws ShardException {
        ShardedSchema text = new ShardedSchema(
                KeyType.STRING, ShopDatabase.BUCKETING, List.of(new Table("public", "notes", "owner")), List.of());

        Placement placement = shards.scan(shop.access(), text);

        assertThat(placement.rowsPerBucket())
                .containsEntry(77, 1L)
                .containsEntry(24, 1L)
                .hasSize(3);
        assertThat(placement.rowsPerModulo()).isEmpty();
    }

    @Test
    void checksumsOfReferenceTablesDependOnContentAndNotOnOrder() throws ShardException {
        ShardedSchema schema = new ShardedSchema(
                KeyType.INT64, ShopDatabase.BUCKETING, ShopDatabase.SCHEMA.tables(), List.of("currencies"));
        Map<String, String> before = shards.scan(shop.access(), schema).referenceChecksums();

        shop.plant("DELETE FROM currencies; INSERT INTO currencies VALUES ('JPY', 0), ('EUR', 2)");
        assertThat(shards.scan(shop.access(), schema).referenceChecksums()).isEqualTo(before);

        shop.plant("UPDATE currencies SET digits = 3 WHERE code = 'EUR'");
        assertThat(shards.scan(shop.access(), schema).referenceChecksums()).isNotEqualTo(before);
    }
}
