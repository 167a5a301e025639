package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardSight.Problem.Kind;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.PostgresSessions.As;
import io.shardwright.dataplane.postgres.PostgresShards;
import io.shardwright.dataplane.postgres.Session;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Installing, looking, adopting: again, by two at once, after damage, over an older version, and for another cluster. */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class FenceInstallationIT {
    private static final Table EVENTS = new Table("public", "events", "tenant_id");
    private static final ShardedSchema SCHEMA = new ShardedSchema(
            KeyType.INT64,
            ShopDatabase.BUCKETING,
            List.of(
                    ShopDatabase.SCHEMA.tables().get(0),
                    ShopDatabase.SCHEMA.tables().get(1),
                    EVENTS),
            List.of());

    @Parameter
    Version version;

    private final PostgresShards shards = new PostgresShards(new PostgresSessions());
    private ShopDatabase shop;
    private Connection operator;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) throws SQLException, ShardException {
        shop = ShopDatabase.create(SharedServers.of(version), "installation", ShopDatabase.TABLES + """
                SET ROLE shop_owner;
                CREATE TABLE events (tenant_id bigint, id bigint, PRIMARY KEY (tenant_id, id)) PARTITION BY RANGE (id);
                CREATE TABLE events_low PARTITION OF events FOR VALUES FROM (0) TO (100);
                RESET ROLE;""")
                .fence(SCHEMA, 42);
        operator = new PostgresSessions().primary(shop.access(), As.OPERATOR, Session.probe("installation"));
    }

    @AfterParameterizedClassInvocation
    void closeSession() throws SQLException {
        operator.close();
    }

    private ShardSight look() {
        return shards.look(shop.access(), SCHEMA);
    }

    @Test
    void aFreshFenceIsWholeAndShowsItsRows() {
        ShardSight sight = look();

        assertThat(sight.problems()).isEmpty();
        assertThat(sight.fenceVersion()).isEqualTo(shards.fenceVersion());
        assertThat(sight.fence())
                .hasSize(99)
                .doesNotContainKey(42)
                .containsEntry(17, new FenceRow(17, FenceState.OWNED, 1, "ds-0", null));
        assertThat(sight.primary()).contains(shop.access().instances().getFirst());
        assertThat(sight.systemIdentifier()).isEqualTo(shop.value("SELECT system_identifier FROM pg_control_system()"));
        assertThat(sight.timeline()).isEqualTo(1);
    }

    @Test
    void installingAgainChangesNothingAndLocksNoTable() throws Exception {
        try (Other app = new Other(shop, shop.app())) {
            app.run("BEGIN; INSERT INTO orders VALUES (%d, 1)".formatted(keyIn(17)));
            String before = shop.value("SELECT shardwright.schema_identity()");

            shards.installFence(shop.access(), SCHEMA);

            assertThat(shop.value("SELECT shardwright.schema_identity()")).isEqualTo(before);
            app.run("ROLLBACK");
        }
    }

    @Test
    void twoOperatorsInstallingAtOnceTakeTurns() throws Exception {
        ShopDatabase fresh = ShopDatabase.create(shop.server(), "installation_twice");
        List<Future<?>> both = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < 2; i++) {
                both.add(threads.submit(() -> {
                    shards.installFence(fresh.access(), ShopDatabase.SCHEMA);
                    return null;
                }));
            }
            for (Future<?> one : both) {
                one.get();
            }
        }

        assertThat(shards.look(fresh.access(), ShopDatabase.SCHEMA).problems()).isEmpty();
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            ALTER TABLE orders DISABLE TRIGGER zz_shardwright_fence                     | zz_shardwright_fence of table public.orders
            ALTER TABLE orders ENABLE REPLICA TRIGGER zz_shardwright_fence              | zz_shardwright_fence of table public.orders
            DROP TRIGGER zz_shardwright_fence ON order_items                            | zz_shardwright_fence of table public.order_items
            ALTER TABLE events_low DISABLE TRIGGER zz_shardwright_fence                 | zz_shardwright_fence of table public.events_low
            DROP TRIGGER zz_shardwright_truncate ON events_low                          | zz_shardwright_truncate of table public.events_low
            CREATE TABLE events_high PARTITION OF events FOR VALUES FROM (100) TO (200); ALTER TABLE events_high OWNER TO shop_owner | zz_shardwright_truncate of table public.events_high
            DROP TRIGGER zz_shardwright_fence ON orders; CREATE TRIGGER zz_shardwright_fence BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION shardwright.fence_row_tenant_id() | missing, disabled or altered
            CREATE OR REPLACE FUNCTION shardwright.fence_check(b int, k text, e bigint, may_wait boolean) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint' | a function of schema shardwright was altered
            REVOKE EXECUTE ON FUNCTION shardwright.fence_row_tenant_id FROM shop_owner  | role shop_owner can add no partition to table public.events
            ALTER FUNCTION shardwright.enter SECURITY INVOKER                           | a function of schema shardwright was altered
            ALTER FUNCTION shardwright.enter OWNER TO postgres                          | a function of schema shardwright was altered
            ALTER PUBLICATION shardwright DROP TABLE order_items                        | lacks all rows and columns of
            ALTER PUBLICATION shardwright SET TABLE orders (tenant_id, id), order_items, events, shardwright.fence, shardwright.move_progress, shardwright.heartbeat | lacks all rows and columns of
            ALTER PUBLICATION shardwright SET (publish = 'insert')                      | altered options
            DROP PUBLICATION shardwright                                                | lacks all rows and columns of
            UPDATE shardwright.installation SET version = 0                             | the fence has version 0
            """)
    void damageIsSeenAndRepaired(String damage, String seen) throws SQLException, ShardException {
        shop.plant(damage);
        if (damage.contains("OWNER TO postgres")) {
            assertThat(damage()).extracting(Problem::message).first().asString().contains(seen);
            shop.plant("ALTER FUNCTION shardwright.enter OWNER TO shardwright_owner");
            return; // only a superuser can take it back
        }

        assertThat(damage()).first().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(Kind.FENCE_DAMAGED);
            assertThat(problem.message()).contains(seen);
        });
        new FenceInstallation(operator, SCHEMA).run();
        assertThat(damage()).isEmpty();
        Refusal.of(() -> write("INSERT INTO public.events VALUES (%d, 5)".formatted(keyIn(42))))
                .isStaleRoute(42, "ABSENT");
    }

    private void write(String sql) throws SQLException {
        try (Statement statement = operator.createStatement()) {
            statement.execute(sql);
        }
    }

    private List<Problem> damage() throws SQLException {
        return FenceSight.look(operator, SCHEMA).damage();
    }

    @Test
    void adoptionNeverOverwritesARow() throws ShardException {
        UUID move = UUID.randomUUID();
        shop.setFence(50, FenceState.MOVED, 8, "ds-4", move);

        shards.adopt(shop.access(), new TreeSet<>(List.of(17, 50)));

        assertThat(look().fence())
                .containsEntry(50, new FenceRow(50, FenceState.MOVED, 8, "ds-4", move))
                .containsEntry(17, new FenceRow(17, FenceState.OWNED, 1, "ds-0", null));
        shop.setFence(50, FenceState.OWNED, 1, "ds-0", null);
    }

    @Test
    void adoptionOfNothingWritesNothing() throws ShardException {
        shards.adopt(shop.access(), new TreeSet<>());

        assertThat(look().fence()).doesNotContainKey(42);
    }

    @Test
    void adoptionSurvivesAServerThatDoesNotFlushByDefault() throws ShardException {
        shop.plant("ALTER ROLE shardwright_operator SET synchronous_commit = off");
        try {
            shards.adopt(shop.access(), new TreeSet<>(List.of(17)));
            assertThat(shop.value("SELECT setting FROM pg_settings WHERE name = 'synchronous_commit'"))
                    .isEqualTo("on");
        } finally {
            shop.plant("ALTER ROLE shardwright_operator RESET synchronous_commit");
        }
    }

    @Test
    void aDatabaseOfAnotherClusterIsLeftAlone() {
        ShardedSchema other =
                new ShardedSchema(KeyType.INT64, new Bucketing(HashFunction.MD5, 128), SCHEMA.tables(), List.of());

        assertThatThrownBy(() -> shards.installFence(shop.access(), other))
                .isInstanceOfSatisfying(
                        ShardException.class, e -> assertThat(e.lasting()).isTrue())
                .hasMessageContaining("installed for 100 buckets");
        assertThat(look().problems()).isEmpty();
    }

    @Test
    void aNewerFenceIsNamedNotReadAndNotReplaced() {
        shop.plant("UPDATE shardwright.installation SET version = 99");
        shop.plant("ALTER TABLE orders DISABLE TRIGGER zz_shardwright_fence");

        assertThatThrownBy(() -> shards.installFence(shop.access(), SCHEMA))
                .hasMessageContaining("run the newer operator");
        assertThat(look().fenceVersion()).isEqualTo(99);
        assertThat(look().fence()).isEmpty();
        assertThat(look().primary()).isPresent();
        assertThat(look().problems())
                .containsExactly(new Problem(
                        Kind.FENCE_NEWER,
                        "the fence has version 99, this operator knows " + FenceInstallation.VERSION
                                + ": run the newer operator"));

        shop.plant("ALTER TABLE orders ENABLE TRIGGER zz_shardwright_fence");
        shop.plant("UPDATE shardwright.installation SET version = " + FenceInstallation.VERSION);
    }

    @Test
    void aTableThatIsInUseIsGivenUpAfterAWhileAndItsHolderIsNamed() throws Exception {
        ShopDatabase fresh = ShopDatabase.create(shop.server(), "installation_busy");
        try (Other app = new Other(fresh, fresh.app());
                Connection session =
                        new PostgresSessions().primary(fresh.access(), As.OPERATOR, Session.probe("installation"))) {
            app.run("SET application_name = 'nightly batch'; BEGIN; INSERT INTO orders VALUES (1, 1)");
            FenceInstallation hasty = new FenceInstallation(session, ShopDatabase.SCHEMA, Duration.ZERO);

            assertThatThrownBy(hasty::run)
                    .isInstanceOfSatisfying(
                            ShardException.class, e -> assertThat(e.lasting()).isFalse())
                    .hasMessageContainingAll("public.orders", "of shop_app (nightly batch) has a transaction open");
            app.run("COMMIT");
        }
        fresh.plant("DELETE FROM orders");
        shards.installFence(fresh.access(), ShopDatabase.SCHEMA);
        assertThat(shards.look(fresh.access(), ShopDatabase.SCHEMA).problems()).isEmpty();
    }

    @Test
    void theIdentityOfTheSchemaChangesWithEachDdl() {
        String before = shop.value("SELECT shardwright.schema_identity()");
        for (List<String> ddl : List.of(
                List.of("ALTER TABLE orders ADD x int", "ALTER TABLE orders DROP x"),
                List.of(
                        "ALTER TABLE orders DISABLE TRIGGER zz_shardwright_fence",
                        "ALTER TABLE orders ENABLE TRIGGER zz_shardwright_fence"),
                List.of("CREATE INDEX i ON orders (note)", "DROP INDEX i"),
                List.of(
                        "CREATE TABLE events_far PARTITION OF events FOR VALUES FROM (900) TO (999)",
                        "DROP TABLE events_far"),
                List.of("TRUNCATE events_low", "SELECT 1"),
                List.of("ALTER TABLE orders ALTER note TYPE varchar(7)", "ALTER TABLE orders ALTER note TYPE text"),
                List.of(
                        "ALTER PUBLICATION shardwright DROP TABLE orders",
                        "ALTER PUBLICATION shardwright ADD TABLE orders"))) {
            shop.plant(ddl.getFirst());
            String after = shop.value("SELECT shardwright.schema_identity()");
            shop.plant(ddl.getLast());

            assertThat(after).as(ddl.getFirst()).isNotEqualTo(before);
            before = shop.value("SELECT shardwright.schema_identity()");
        }
    }

    @Test
    void oddNamesAreOnlyNames() throws Exception {
        String key = "the \"tenant\" id'; DROP TABLE orders; -- " + "k".repeat(20);
        String quoted = '"' + key.replace("\"", "\"\"") + '"';
        ShopDatabase fresh = ShopDatabase.create(shop.server(), "installation names", """
                CREATE SCHEMA "Own ""schema"; CREATE TABLE "Own ""schema"."it's" (%s bigint, n int, PRIMARY KEY (%1$s));
                ALTER SCHEMA "Own ""schema" OWNER TO shop_owner; ALTER TABLE "Own ""schema"."it's" OWNER TO shop_owner;
                CREATE TABLE orders ()""".formatted(quoted));
        ShardedSchema schema = new ShardedSchema(
                KeyType.INT64, ShopDatabase.BUCKETING, List.of(new Table("Own \"schema", "it's", key)), List.of());

        fresh.fence(schema, 42);

        assertThat(shards.look(fresh.access(), schema).problems()).isEmpty();
        assertThat(shards.scan(fresh.access(), schema).rowsPerBucket()).isEmpty();
        try (Other mover = new Other(fresh, fresh.mover())) {
            String insert = "INSERT INTO \"Own \"\"schema\".\"it's\" VALUES (%d, 1)";
            Refusal.of(() -> mover.run(insert.formatted(keyIn(42)))).isStaleRoute(42, "ABSENT");
            mover.run(insert.formatted(keyIn(17)));
        }
        assertThat(fresh.count("orders")).isZero();
    }

    @Test
    void aTableMayBeAppended() throws ShardException {
        ShopDatabase fresh = ShopDatabase.create(shop.server(), "installation_append");
        ShardedSchema one = new ShardedSchema(
                KeyType.INT64,
                ShopDatabase.BUCKETING,
                List.of(ShopDatabase.SCHEMA.tables().getFirst()),
                List.of());
        fresh.plant("DROP TABLE order_items");
        shards.installFence(fresh.access(), one);
        fresh.plant(
                "CREATE TABLE order_items (tenant_id bigint, id bigint, PRIMARY KEY (tenant_id, id)); ALTER TABLE order_items OWNER TO shop_owner");

        assertThat(shards.look(fresh.access(), ShopDatabase.SCHEMA).problems())
                .extracting(Problem::kind)
                .containsOnly(Kind.FENCE_DAMAGED);
        shards.installFence(fresh.access(), ShopDatabase.SCHEMA);

        assertThat(shards.look(fresh.access(), ShopDatabase.SCHEMA).problems()).isEmpty();
        assertThat(fresh.server().query(fresh.name(), "SELECT position, table_name FROM shardwright.sharded_table"))
                .extracting(row -> row.get(0), row -> row.get(1))
                .containsExactly(tuple("1", "orders"), tuple("2", "order_items"));
    }
}
