package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class RoutingTableTest {
    private static final RoutingTable TABLE = Tables.four();

    private static Route route(RoutingTable table, long key, Role role) {
        return table.route(ShardKey.of(KeyType.INT64, key), role);
    }

    @Test
    void looksPinsUpBeforeTheHash() {
        assertThat(route(TABLE, 42, Role.WEB)).isEqualTo(new Route("ds-hot", 42, 0, Route.Rule.PIN));
        assertThat(route(TABLE, 142, Role.WEB)).isEqualTo(new Route("ds-1", 42, 1, Route.Rule.BUCKET));
    }

    @Test
    void showsAHandoverToARoleOnlyOnceItIsVisibleToIt() {
        Handover announced = Handover.ofBuckets(Map.of(3, 2L), "ds-4");
        Route old = new Route("ds-0", 3, 1, Route.Rule.BUCKET);
        Route fresh = new Route("ds-4", 3, 2, Route.Rule.HANDOVER);

        assertThat(route(Tables.handing(TABLE, announced), 3, Role.WORKER)).isEqualTo(old);
        RoutingTable workers = Tables.handing(TABLE, announced.visibleTo(Role.WORKER));
        assertThat(route(workers, 3, Role.WORKER)).isEqualTo(fresh);
        assertThat(route(workers, 3, Role.WEB)).isEqualTo(old);
        assertThat(route(workers, 4, Role.WORKER)).isEqualTo(new Route("ds-0", 4, 1, Route.Rule.BUCKET));
    }

    @Test
    void aPinWinsOverAHandoverOfItsBucket() {
        Handover handover = Handover.ofBuckets(Map.of(42, 2L), "ds-4").visibleTo(Role.WORKER, Role.WEB);

        assertThat(route(Tables.handing(TABLE, handover), 42, Role.WEB).shard()).isEqualTo("ds-hot");
    }

    /** On its way back to the shard of its bucket, or from one Dedicated shard to another. */
    @Test
    void aHandoverOfTheKeyGoesBeforeItsPin() {
        Handover handover = Handover.announced(Map.of(Scope.key("42", 42), 3L), "ds-4");
        Route pin = new Route("ds-hot", 42, 0, Route.Rule.PIN);

        assertThat(route(Tables.handing(TABLE, handover), 42, Role.WEB)).isEqualTo(pin);
        RoutingTable workers = Tables.handing(TABLE, handover.visibleTo(Role.WORKER));
        assertThat(route(workers, 42, Role.WORKER)).isEqualTo(new Route("ds-4", 42, 3, Route.Rule.HANDOVER));
        assertThat(route(workers, 42, Role.WEB)).isEqualTo(pin);
        assertThat(route(workers, 142, Role.WORKER).shard()).isEqualTo("ds-1");
    }

    @Test
    void theOwnerOfAKeyIsItsPinElseThatOfItsBucket() {
        assertThat(TABLE.owner(Scope.key("42", 42))).isEqualTo("ds-hot");
        assertThat(TABLE.owner(Scope.key("142", 42))).isEqualTo("ds-1");
        assertThat(TABLE.owner(Scope.bucket(42))).isEqualTo("ds-1");
        assertThat(TABLE.pinned()).isEqualTo(Map.of(Scope.key("42", 42), "ds-hot"));
    }

    @Test
    void refusesWhatIsNoKey() {
        for (Object value :
                new Object[] {null, "", " 1", "1 ", "+1", "1.0", 1.0, "0x1", "9223372036854775808", '1', "１"}) {
            assertThatThrownBy(() -> ShardKey.of(KeyType.INT64, value)).isInstanceOf(UnroutableKeyException.class);
        }
        for (Object value : new Object[] {null, 7, "a\0b", "\ud83d", "\udc18\ud83d", "\ud800", "\udfff"}) {
            assertThatThrownBy(() -> ShardKey.of(KeyType.STRING, value)).isInstanceOf(UnroutableKeyException.class);
        }
        for (Object value :
                new Object[] {null, 7, "", "{a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11}", "a0eebc999c0b4ef8bb6d6bb9bd380a11"
                }) {
            assertThatThrownBy(() -> ShardKey.of(KeyType.UUID, value)).isInstanceOf(UnroutableKeyException.class);
        }
    }

    /** What only prints like a key could print like another one tomorrow. */
    @Test
    void refusesWhatOnlyPrintsLikeAKey() {
        for (KeyType type : KeyType.values()) {
            String text = type == KeyType.INT64 ? "42" : "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";
            Object printsSo = new Object() {
                @Override
                public String toString() {
                    return text;
                }
            };

            assertThat(ShardKey.of(type, new StringBuilder(text)).text()).isEqualTo(text);
            assertThatThrownBy(() -> ShardKey.of(type, printsSo)).isInstanceOf(UnroutableKeyException.class);
        }
    }

    @Test
    void twoSpellingsOfAKeyAreOneKey() {
        UUID uuid = UUID.fromString("a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11");

        assertThat(ShardKey.of(KeyType.INT64, 42)).isEqualTo(ShardKey.of(KeyType.INT64, "0042"));
        assertThat(ShardKey.of(KeyType.INT64, (short) 7)).isEqualTo(ShardKey.of(KeyType.INT64, 7L));
        assertThat(ShardKey.of(KeyType.INT64, (byte) 7)).isEqualTo(ShardKey.of(KeyType.INT64, 7L));
        assertThat(ShardKey.of(KeyType.UUID, uuid))
                .isEqualTo(ShardKey.of(KeyType.UUID, "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"));
    }

    @Test
    void aClusterHasFromOneTo65536Buckets() {
        assertThat(new Bucketing(HashFunction.MD5, 1).bucketOf(ShardKey.of(KeyType.STRING, "x")))
                .isZero();
        assertThat(new Bucketing(HashFunction.MD5, 65_536).buckets()).isEqualTo(65_536);
        for (int buckets : new int[] {-1, 0, 65_537}) {
            assertThatThrownBy(() -> new Bucketing(HashFunction.MD5, buckets))
                    .hasMessage("buckets must be 1..65536, not " + buckets);
        }
    }

    @Test
    void refusesModuloOfAnythingButNumbers() {
        Bucketing modulo = new Bucketing(HashFunction.MODULO, 100);

        assertThatThrownBy(() -> modulo.bucketOf(ShardKey.of(KeyType.STRING, "7")))
                .isInstanceOf(UnroutableKeyException.class)
                .hasMessage("hash Modulo takes Int64 keys only");
    }
}
