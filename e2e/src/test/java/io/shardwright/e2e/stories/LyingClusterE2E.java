package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.e2e.shop.Shop;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopLayout;
import io.shardwright.stage.shop.ShopTopology;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A cluster that is not what its spec says: named in a condition within seconds, nothing installed and no row touched. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LyingClusterE2E {
    /** Goal 10 s; a test asserts that the wait ends, not how fast a busy machine is. */
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private Stage stage;
    private Shop shop;

    /** @param condition that becomes False; {@code reason} its reason; {@code words} that the message has */
    record Lie(String name, String tell, String mend, String condition, String reason, List<String> words) {
        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Lie> lies() {
        return Stream.of(
                new Lie(
                        "a table is missing on one shard",
                        "ALTER TABLE order_items RENAME TO order_items_gone",
                        "ALTER TABLE order_items_gone RENAME TO order_items",
                        "FenceInstalled",
                        "TableMissing",
                        List.of("ds-1", "order_items")),
                new Lie(
                        "the shard key is not in the primary key",
                        "ALTER TABLE order_items DROP CONSTRAINT order_items_pkey; ALTER TABLE order_items ADD PRIMARY KEY (id)",
                        "ALTER TABLE order_items DROP CONSTRAINT order_items_pkey; ALTER TABLE order_items ADD PRIMARY KEY (tenant_id, id)",
                        "FenceInstalled",
                        "ShardKeyNotInPrimaryKey",
                        List.of("ds-1", "order_items", "tenant_id")),
                new Lie(
                        "a bucket has rows on two shards",
                        "INSERT INTO orders (tenant_id, id, reference) VALUES (%d, 999999, 'misplaced')",
                        "DELETE FROM orders WHERE reference = 'misplaced'",
                        "FenceInstalled",
                        "MisplacedKeys",
                        List.of("ds-0", "ds-1")),
                new Lie(
                        "the password is wrong",
                        "ALTER ROLE shardwright_operator PASSWORD 'another'",
                        "ALTER ROLE shardwright_operator PASSWORD '%s'",
                        "Reachable",
                        "AccessDenied",
                        List.of("ds-1")));
    }

    @BeforeAll
    void givenTwoShardsAndAnOperator() {
        stage = Stage.builder().layout(new ShopLayout(16, 2, 2, 4)).spares(0).start();
        shop = new Shop(stage);
        stage.startOperator();
    }

    @ParameterizedTest
    @MethodSource("lies")
    void isNamedAndNothingIsTouched(Lie lie) {
        // given a database that is not as declared
        stage.shard("ds-1").run(filled(lie.tell()));
        String before = contents();

        // when the team declares the cluster
        stage.applyTopology(2).orThrow();

        // then a condition names what is wrong and where
        stage.await(lie.reason() + " in " + lie.condition(), LIMIT, () -> says(lie));
        assertThat(shop.condition(lie.condition()).orElseThrow().message()).contains(lie.words());
        assertThat(shop.condition("Ready").orElseThrow().isTrue()).isFalse();
        // and nothing was installed, and no row touched
        assertThat(contents()).isEqualTo(before);
        for (var shard : stage.databases().all()) {
            assertThat(shard.query("SELECT 1 FROM pg_namespace WHERE nspname = 'shardwright'"))
                    .isEmpty();
            assertThat(shard.query("SELECT 1 FROM pg_trigger WHERE tgname LIKE '%shardwright%'"))
                    .isEmpty();
        }

        // and when it is mended the cluster becomes Ready without further ado
        stage.shard("ds-1").run(filled(lie.mend()));
        if (lie.reason().equals("AccessDenied")) {
            shop.awaitReady();
        }
    }

    @ParameterizedTest
    @MethodSource("unreachable")
    void aShardThatDoesNotAnswerIsNamed(String mode) {
        stage.shard("ds-1").server().freeze();
        try {
            stage.applyTopology(2).orThrow();
            stage.await(
                    "UnreachableShard in Reachable",
                    LIMIT,
                    () -> shop.condition("Reachable")
                            .map(condition -> condition.reason().equals("UnreachableShard")
                                    && condition.message().contains("ds-1"))
                            .orElse(false));
        } finally {
            stage.shard("ds-1").server().thaw();
        }
    }

    static Stream<String> unreachable() {
        return Stream.of("frozen");
    }

    @AfterEach
    void removeTheCluster() {
        shop.kubectl(
                "-n", ShopTopology.NAMESPACE, "delete", "shardcluster", ShopTopology.CLUSTER, "--ignore-not-found");
    }

    @AfterAll
    void close() {
        stage.close();
    }

    private boolean says(Lie lie) {
        return shop.condition(lie.condition())
                .map(condition ->
                        condition.status().equals("False") && condition.reason().equals(lie.reason()))
                .orElse(false);
    }

    private String filled(String sql) {
        long tenantOfTheOther = stage.layout().tenantsOf(0).get(0);
        return sql.replace("%d", Long.toString(tenantOfTheOther))
                .replace("%s", stage.databases().passwords().operator());
    }

    private String contents() {
        var text = new StringBuilder();
        for (var shard : stage.databases().all()) {
            for (String table : List.of("orders", "order_items", "order_items_gone")) {
                if (shard.query("SELECT to_regclass('" + table + "') IS NOT NULL")
                        .get(0)
                        .get(0)
                        .equals("t")) {
                    text.append(
                            shard.query("SELECT md5(string_agg(t::text, ',' ORDER BY t::text)) FROM " + table + " t"));
                }
            }
        }
        return text.toString();
    }
}
