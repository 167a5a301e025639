package io.shardwright.stage.shop;

import io.shardwright.servers.CertificateAuthority;
import io.shardwright.servers.PostgresServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

/** All database servers of a stage, in order of their names: those that hold data at the start, then the spare ones. */
public final class ShopDatabases implements AutoCloseable {
    private final ShopLayout layout;
    private final Passwords passwords = Passwords.random();
    private final List<ShardDatabase> shards = new ArrayList<>();

    private ShopDatabases(ShopLayout layout) {
        this.layout = layout;
    }

    /**
     * What all servers have in common.
     *
     * @param durable whether commits are flushed to the disk
     * @param authority whom their certificates come from
     * @param databaseScript what a DBA runs in each database
     */
    public record Setup(
            PostgresServer.Version version, boolean durable, CertificateAuthority authority, Path databaseScript) {}

    /** Starts, bootstraps and seeds them side by side. */
    public static ShopDatabases start(ShopLayout layout, int spares, Setup setup) {
        var databases = new ShopDatabases(layout);
        var starting = IntStream.range(0, layout.shards() + spares)
                .mapToObj(index -> CompletableFuture.supplyAsync(() -> databases.startOne(index, setup)))
                .toList();
        try {
            starting.forEach(one -> databases.shards.add(one.join()));
            return databases;
        } catch (CompletionException e) {
            starting.forEach(one -> one.handle((started, failure) -> {
                        if (started != null) {
                            started.close();
                        }
                        return null;
                    })
                    .join());
            throw e;
        }
    }

    private ShardDatabase startOne(int index, Setup setup) {
        var builder = PostgresServer.builder()
                .name(ShopLayout.shardName(index))
                .version(setup.version())
                .tls(setup.authority().loopbackServer());
        var shard = new ShardDatabase((setup.durable() ? builder.durable() : builder).start());
        try {
            shard.bootstrap(setup.databaseScript(), passwords);
            shard.seed(index < layout.shards() ? layout.tenantsOf(index) : List.of(), layout.ordersPerTenant());
            return shard;
        } catch (RuntimeException | Error e) {
            shard.close();
            throw e;
        }
    }

    public ShopLayout layout() {
        return layout;
    }

    public Passwords passwords() {
        return passwords;
    }

    public List<ShardDatabase> all() {
        return List.copyOf(shards);
    }

    public ShardDatabase shard(String name) {
        return shards.stream()
                .filter(shard -> shard.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no shard " + name + " on this stage: " + shards));
    }

    @Override
    public void close() {
        shards.forEach(ShardDatabase::close);
    }
}
