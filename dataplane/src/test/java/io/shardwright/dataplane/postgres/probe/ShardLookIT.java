package io.shardwright.dataplane.postgres.probe;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.ShardSight;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardSight.Problem.Kind;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.ShardedSchema.Table;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.KeyType;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Every reason not to shard a table is named, with what to do; each case is made in a transaction and rolled back. */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ShardLookIT {
    private static final ShardedSchema WITH_REFERENCE = new ShardedSchema(
            KeyType.INT64, ShopDatabase.BUCKETING, ShopDatabase.SCHEMA.tables(), List.of("currencies"));

    @Parameter
    Version version;

    private ShopDatabase shop;
    private Connection superuser;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) throws SQLException {
        shop = ShopDatabase.create(SharedServers.of(version), "look", ShopDatabase.TABLES + """
                        SET ROLE shop_owner; CREATE TABLE currencies (code text PRIMARY KEY); CREATE TABLE audit (id int PRIMARY KEY);
                        CREATE FUNCTION noop() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'; RESET ROLE;""");
        superuser = shop.superuser();
        superuser.setAutoCommit(false);
    }

    @AfterParameterizedClassInvocation
    void closeSession() throws SQLException {
        superuser.close();
    }

    private List<Problem> problemsAfter(ShardedSchema schema, String ddl) throws SQLException {
        try (Statement statement = superuser.createStatement()) {
            statement.execute(ddl);
            statement.execute("SET LOCAL search_path = pg_catalog");
            ShardSight sight = new ShardLook(shop.access(), schema, superuser)
                    .look(shop.access().instances().getFirst(), List.of());
            return sight.problems();
        } finally {
            superuser.rollback();
        }
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            TABLE_MISSING      | DROP TABLE order_items                                                                   | create it
            TABLE_MISSING      | ALTER TABLE orders RENAME TO sales                                                       | public.orders is missing
            SCHEMA_UNSUPPORTED | DROP TABLE order_items; CREATE VIEW order_items AS SELECT * FROM orders                  | is no table
            SHARD_KEY          | ALTER TABLE order_items RENAME tenant_id TO tenant                                       | has no column tenant_id
            SHARD_KEY          | ALTER TABLE order_items DROP CONSTRAINT order_items_tenant_id_order_id_fkey, ALTER tenant_id TYPE text | needs smallint, integer or bigint
            SHARD_KEY          | ALTER TABLE order_items DROP CONSTRAINT order_items_pkey, ADD PRIMARY KEY (id)           | the primary key of table public.order_items does not contain the shard key
            SHARD_KEY          | ALTER TABLE order_items DROP CONSTRAINT order_items_pkey                                 | has no primary key
            SHARD_KEY          | CREATE UNIQUE INDEX by_sku ON order_items (sku)                                          | unique index public.by_sku
            SHARD_KEY          | CREATE UNIQUE INDEX by_sku ON order_items (sku) INCLUDE (tenant_id)                      | unique index public.by_sku
            SHARD_KEY          | CREATE UNIQUE INDEX by_sum ON order_items ((tenant_id + id))                             | unique index public.by_sum
            SHARD_KEY          | ALTER TABLE order_items ADD EXCLUDE USING btree (sku WITH =)                             | does not contain the shard key
            SHARD_KEY          | ALTER TABLE order_items DROP CONSTRAINT order_items_tenant_id_order_id_fkey, DROP tenant_id, ADD tenant_id bigint NOT NULL GENERATED ALWAYS AS (id) STORED, ADD PRIMARY KEY (tenant_id, id) | is a generated column
            SCHEMA_UNSUPPORTED | ALTER TABLE order_items ADD UNIQUE (tenant_id, sku) DEFERRABLE                           | is DEFERRABLE
            SCHEMA_UNSUPPORTED | ALTER TABLE order_items ADD audit_id int REFERENCES audit                                | neither sharded nor a reference table
            SCHEMA_UNSUPPORTED | ALTER TABLE audit ADD t bigint, ADD i bigint, ADD FOREIGN KEY (t, i) REFERENCES orders   | only sharded tables may
            SCHEMA_UNSUPPORTED | ALTER TABLE order_items ADD other bigint, ADD FOREIGN KEY (other, order_id) REFERENCES orders ON DELETE CASCADE | does not map the shard key
            SCHEMA_UNSUPPORTED | ALTER TABLE order_items SET UNLOGGED                                                     | SET LOGGED
            SCHEMA_UNSUPPORTED | CREATE TABLE child () INHERITS (order_items)                                             | takes part in inheritance
            SCHEMA_UNSUPPORTED | ALTER TABLE orders ENABLE ROW LEVEL SECURITY                                             | DISABLE ROW LEVEL SECURITY
            SCHEMA_UNSUPPORTED | CREATE RULE quiet AS ON DELETE TO order_items DO INSTEAD NOTHING                          | has rule quiet
            SCHEMA_UNSUPPORTED | ALTER TABLE order_items REPLICA IDENTITY NOTHING                                         | REPLICA IDENTITY DEFAULT
            SCHEMA_UNSUPPORTED | CREATE TRIGGER t AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION noop(); ALTER TABLE orders ENABLE ALWAYS TRIGGER t | ENABLE it plainly
            SCHEMA_UNSUPPORTED | CREATE TRIGGER zzz BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION noop()          | runs after the fence
            SCHEMA_UNSUPPORTED | CREATE SUBSCRIPTION s CONNECTION 'host=127.0.0.1 port=1' PUBLICATION p WITH (connect = false); INSERT INTO pg_subscription_rel SELECT oid, 'orders'::regclass, 'r', NULL FROM pg_subscription | is fed by a subscription
            SCHEMA_UNSUPPORTED | CREATE PUBLICATION p FOR TABLE orders WHERE (note = 'x')                                 | drop the filter
            PRIVILEGES         | ALTER TABLE orders OWNER TO postgres                                                     | OWNER TO a role without that power
            PRIVILEGES         | REVOKE shop_owner FROM shardwright_operator                                              | GRANT shop_owner TO shardwright_operator
            PRIVILEGES         | REVOKE shardwright_owner FROM shardwright_operator                                       | GRANT shardwright_owner TO shardwright_operator
            PRIVILEGES         | REVOKE CREATE ON DATABASE look FROM shardwright_operator                                 | GRANT CREATE ON DATABASE look
            PRIVILEGES         | REVOKE pg_signal_backend FROM shardwright_operator                                       | GRANT pg_signal_backend
            PRIVILEGES         | ALTER ROLE shardwright_mover NOREPLICATION                                               | ALTER ROLE shardwright_mover REPLICATION
            PRIVILEGES         | REVOKE SET ON PARAMETER session_replication_role FROM shardwright_mover                  | GRANT SET ON PARAMETER
            PRIVILEGES         | REVOKE pg_read_all_stats FROM shardwright_mover                                          | GRANT pg_read_all_stats
            PRIVILEGES         | ALTER ROLE shardwright_app RENAME TO other                                               | run manifests/databases/postgresql.sql
            PRIVILEGES         | CREATE SCHEMA shardwright                                                                | ALTER SCHEMA shardwright OWNER
            """)
    void namesWhatStandsAgainstIt(Kind kind, String ddl, String advice) throws SQLException {
        List<Problem> problems = problemsAfter(ShopDatabase.SCHEMA, ddl);

        assertThat(problems).first().satisfies(problem -> {
            assertThat(problem.kind()).isEqualTo(kind);
            assertThat(problem.message()).contains(advice);
        });
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            CREATE UNIQUE INDEX by_sku ON order_items (sku, tenant_id)
            CREATE TRIGGER aaa BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION noop()
            CREATE PUBLICATION p FOR TABLE orders WHERE (tenant_id > 3)
            ALTER TABLE orders ADD currency text REFERENCES currencies
            ALTER TABLE orders ADD total numeric GENERATED ALWAYS AS (id * 2) STORED
            CREATE TABLE elsewhere (id int)
            """)
    void letsWhatIsHarmlessBe(String ddl) throws SQLException {
        assertThat(problemsAfter(WITH_REFERENCE, ddl)).isEmpty();
    }

    @Test
    void namesAMissingReferenceTable() throws SQLException {
        assertThat(problemsAfter(WITH_REFERENCE, "DROP TABLE currencies"))
                .extracting(Problem::kind)
                .containsExactly(Kind.TABLE_MISSING);
    }

    @ParameterizedTest
    @CsvSource({
        "STRING, text, ''", "STRING, varchar(9), ''", "STRING, char(9), text or varchar", "UUID, uuid, ''",
        "UUID, text, needs uuid", "INT64, integer, ''", "INT64, smallint, ''", "INT64, numeric, needs smallint",
        "STRING, text COLLATE loose, nondeterministic"
    })
    void acceptsTypesWhoseTextIsTheKey(KeyType keyType, String type, String complaint) throws SQLException {
        ShardedSchema schema = new ShardedSchema(
                keyType, ShopDatabase.BUCKETING, List.of(new Table("Odd \"Schema\" x", "Ta'ble", "Key")), List.of());

        List<Problem> problems = problemsAfter(schema, """
                CREATE COLLATION public.loose (provider = icu, locale = 'und', deterministic = false);
                CREATE SCHEMA "Odd ""Schema"" x"; ALTER SCHEMA "Odd ""Schema"" x" OWNER TO shop_owner;
                CREATE TABLE "Odd ""Schema"" x"."Ta'ble" ("Key" %s PRIMARY KEY);
                ALTER TABLE "Odd ""Schema"" x"."Ta'ble" OWNER TO shop_owner""".formatted(type));

        if (complaint.isEmpty()) {
            assertThat(problems).isEmpty();
        } else {
            assertThat(problems)
                    .first()
                    .satisfies(problem -> assertThat(problem.message())
                            .contains(complaint, "\"Odd \"\"Schema\"\" x\".\"Ta'ble\".\"Key\""));
        }
    }

    @Test
    void namesOfSpecsNeverBecomeSql() throws SQLException {
        String evil = "orders'; DROP TABLE order_items; --\"";
        ShardedSchema schema = new ShardedSchema(
                KeyType.INT64, ShopDatabase.BUCKETING, List.of(new Table(evil, evil, evil)), List.of(evil));

        assertThat(problemsAfter(schema, "SELECT 1")).extracting(Problem::kind).containsOnly(Kind.TABLE_MISSING);
        assertThat(shop.count("order_items")).isZero();
    }

    @Test
    void shapesAreEqualWhateverTheNamesAndIdsOfConstraintsAndDifferWithEachColumn() throws SQLException {
        String before = shapeAfter("SELECT 1");

        assertThat(shapeAfter(
                        "ALTER TABLE orders RENAME CONSTRAINT orders_pkey TO other; CREATE INDEX ON orders (note);"
                                + " DROP TABLE order_items; " + recreatedItems()))
                .isEqualTo(before);
        for (String ddl : List.of(
                "ALTER TABLE orders ADD x int",
                "ALTER TABLE orders ALTER note SET NOT NULL",
                "ALTER TABLE orders ALTER note TYPE varchar(9)",
                "ALTER TABLE orders ADD CHECK (id > 0)",
                "ALTER TABLE orders ALTER id SET GENERATED ALWAYS",
                "CREATE UNIQUE INDEX ON orders (tenant_id, note)",
                "ALTER TABLE order_items DROP CONSTRAINT order_items_tenant_id_order_id_fkey")) {
            assertThat(shapeAfter(ddl)).as(ddl).isNotEqualTo(before);
        }
    }

    private static String recreatedItems() {
        return ShopDatabase.TABLES.substring(
                ShopDatabase.TABLES.indexOf("CREATE TABLE order_items"), ShopDatabase.TABLES.indexOf("GRANT"));
    }

    private String shapeAfter(String ddl) throws SQLException {
        try (Statement statement = superuser.createStatement()) {
            statement.execute(ddl);
            statement.execute("SET LOCAL search_path = pg_catalog");
            return SchemaShape.hash(superuser, ShopDatabase.SCHEMA);
        } finally {
            superuser.rollback();
        }
    }
}
