package io.shardwright.stage.shop;

import io.shardwright.servers.CertificateAuthority;
import io.shardwright.servers.PostgresServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** All database servers of a stage: those that hold data at the start, then the spare ones, then those for Dedicated shards. */
public final class ShopDatabases implements AutoCloseable {
    private final ShopLayout layout;
    private final Passwords passwords = Passwords.random();
    private final List<ShardDatabase> shards = new ArrayList<>();
    private final int dedicated;

    private ShopDatabases(ShopLayout layout, int dedicated) {
        this.layout = layout;
        this.dedicated = dedicated;
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

    /**
     * Starts, bootstraps and seeds them side by side.
     *
     * @param dedicated names of those for Dedicated shards
     */
    public static ShopDatabases start(ShopLayout layout, int spares, List<String> dedicated, Setup setup) {
        var databases = new ShopDatabases(layout, dedicated.size());
        var names = Stream.concat(
                        IntStream.range(0, layout.shards() + spares).mapToObj(ShopLayout::shardName),
                        dedicated.stream())
                .toList();
        var starting = IntStream.range(0, names.size())
                .mapToObj(index -> CompletableFuture.supplyAsync(() -> databases.startOne(
                        names.get(index), index < layout.shards() ? layout.tenantsOf(index) : List.of(), setup)))
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

    private ShardDatabase startOne(String name, List<Long> tenants, Setup setup) {
        var builder = PostgresServer.builder()
                .name(name)
                .version(setup.version())
                .tls(setup.authority().loopbackServer());
        var shard = new ShardDatabase((setup.durable() ? builder.durable() : builder).start());
        try {
            shard.bootstrap(setup.databaseScript(), passwords);
            shard.seed(tenants, layout.ordersPerTenant());
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

    /** Those for Dedicated shards. */
    public List<ShardDatabase> dedicated() {
        return all().subList(shards.size() - dedicated, shards.size());
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
