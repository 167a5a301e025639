package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.client.errors.MissingShardKeyException;
import io.shardwright.client.errors.NoRoutingTableException;
import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.table.RouteTable;
import io.shardwright.client.table.TableIntake;
import io.shardwright.client.table.Tables;
import io.shardwright.routing.ShardKey;
import io.shardwright.routing.UnroutableKeyException;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** S1 to S3: the key is chosen before anything is sent, on the thread that works. */
class ScopesTest {
    private final RouteTable table = new RouteTable();
    private final Scopes scopes = new Scopes(table);

    @BeforeEach
    void offerTable() {
        PoolSet none = new PoolSet(target -> {
            throw new AssertionError("no key opens a connection");
        });
        new TableIntake("orders", "app", table, none, null, () -> {}).offer(Tables.document(1), "test");
    }

    @Test
    void aKeyThatIsNoneIsRefused() {
        assertThatThrownBy(() -> scopes.key(null)).isInstanceOf(MissingShardKeyException.class);
        assertThatThrownBy(() -> scopes.key("  ")).isInstanceOf(MissingShardKeyException.class);
        assertThatThrownBy(() -> scopes.key("4x")).isInstanceOf(UnroutableKeyException.class);
        assertThatThrownBy(() -> scopes.key(4.5)).isInstanceOf(UnroutableKeyException.class);
        assertThatThrownBy(scopes::require).isInstanceOf(MissingShardKeyException.class);
    }

    @Test
    void withoutATableNoKeyIsTaken() {
        assertThatThrownBy(() -> new Scopes(new RouteTable()).key(42)).isInstanceOf(NoRoutingTableException.class);
    }

    @Test
    void scopesNestAndAreClosedInnermostFirst() {
        ShardScope outer = scopes.open(scopes.key(1));
        ShardScope inner = scopes.open(scopes.key(2));
        assertThat(scopes.require()).isEqualTo(scopes.key(2));
        assertThatThrownBy(outer::close).isInstanceOf(IllegalStateException.class);
        inner.close();
        assertThat(scopes.require()).isEqualTo(scopes.key(1));
        outer.close();
        assertThat(scopes.current()).isEmpty();
    }

    @Test
    void aScopeIsOfItsThreadAndIsCarriedByAWrappedExecutorOnly() throws InterruptedException {
        ExecutorService other = Executors.newSingleThreadExecutor();
        AtomicReference<Optional<ShardKey>> bare = new AtomicReference<>();
        AtomicReference<Optional<ShardKey>> wrapped = new AtomicReference<>();
        AtomicReference<Optional<ShardKey>> afterwards = new AtomicReference<>();
        try (ShardScope scope = scopes.open(scopes.key(1))) {
            other.execute(() -> bare.set(scopes.current()));
            scopes.wrap(other).execute(() -> wrapped.set(scopes.current()));
            other.execute(() -> afterwards.set(scopes.current()));
            other.shutdown();
            assertThat(other.awaitTermination(30, TimeUnit.SECONDS)).isTrue();
            assertThat(wrapped.get()).contains(scope.key());
        }
        assertThat(bare.get()).isEmpty();
        assertThat(afterwards.get()).as("the scope ends with the task").isEmpty();
    }
}
