package io.shardwright.client;

import io.shardwright.client.feed.AckSender;
import io.shardwright.client.feed.FeedReader;
import io.shardwright.client.feed.OperatorLine;
import io.shardwright.client.jdbc.Router;
import io.shardwright.client.jdbc.RouterCounters;
import io.shardwright.client.jdbc.Scopes;
import io.shardwright.client.load.LoadMeter;
import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.pools.Pools;
import io.shardwright.client.table.Acknowledged;
import io.shardwright.client.table.Contact;
import io.shardwright.client.table.FenceWatch;
import io.shardwright.client.table.Flights;
import io.shardwright.client.table.LastKnownFile;
import io.shardwright.client.table.LastKnownWriter;
import io.shardwright.client.table.MountedFile;
import io.shardwright.client.table.RouteTable;
import io.shardwright.client.table.TableIntake;
import io.shardwright.routing.Role;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Puts a router together. Needed: namespace, role, identity, pools, and at least one source of tables. */
public final class ShardwrightBuilder {
    private static final long FEED_AT_BOOT_SECONDS = 2;

    private final String cluster;
    private String namespace;
    private Role role;
    private RouterIdentity identity;
    private Pools pools;
    private List<URI> feeds = List.of();
    private Path tokenFile;
    private Path caFile;
    private Path mounted;
    private Path lastKnown;
    private LongSupplier sliceClock = System::nanoTime;

    ShardwrightBuilder(String cluster) {
        this.cluster = Objects.requireNonNull(cluster, "cluster");
    }

    public ShardwrightBuilder namespace(String value) {
        this.namespace = value;
        return this;
    }

    public ShardwrightBuilder role(Role value) {
        this.role = value;
        return this;
    }

    public ShardwrightBuilder identity(RouterIdentity value) {
        this.identity = value;
        return this;
    }

    public ShardwrightBuilder pools(Pools value) {
        this.pools = value;
        return this;
    }

    /** Base URIs of the operator's replicas, https; tried in turn. */
    public ShardwrightBuilder feed(URI... replicas) {
        this.feeds = List.of(replicas);
        return this;
    }

    /** ServiceAccount token (audience {@code shardwright.io}), read again for every call. */
    public ShardwrightBuilder tokenFile(Path value) {
        this.tokenFile = value;
        return this;
    }

    /** PEM certificates that the feed's certificate is checked against; without it those of the platform. */
    public ShardwrightBuilder caFile(Path value) {
        this.caFile = value;
        return this;
    }

    /** {@code table.json} of a mounted ConfigMap, looked at every second. */
    public ShardwrightBuilder file(Path value) {
        this.mounted = value;
        return this;
    }

    /** Where the last good table is kept for the next start. */
    public ShardwrightBuilder lastKnown(Path value) {
        this.lastKnown = value;
        return this;
    }

    /** What the length of slices is measured by; for tests, which do not wait for one. */
    ShardwrightBuilder sliceClock(LongSupplier nanos) {
        this.sliceClock = nanos;
        return this;
    }

    /**
     * Starts the router. Takes the table of a file at once and waits up to 2 s for the feed; without any table the router
     * stands, and refuses work until one comes.
     *
     * @throws IOException when the CA file cannot be read
     */
    public Shardwright build() throws IOException {
        require(namespace, "namespace");
        require(role, "role");
        require(identity, "identity");
        require(pools, "pools");
        if (feeds.isEmpty() && mounted == null && lastKnown == null) {
            throw new IllegalStateException("a router needs a feed, a mounted file or a last-known file");
        }
        return new Assembly().start();
    }

    private static void require(Object value, String name) {
        if (value == null) {
            throw new IllegalStateException("a router needs " + name + "(..)");
        }
    }

    /** The parts of one router and how they hang together. */
    private final class Assembly {
        private final Random random = new Random();
        private final String applicationName = "shardwright-router/" + identity.podUid();
        private final RouteTable table = new RouteTable();
        private final Contact contact = new Contact(System::nanoTime);
        private final PoolSet poolSet = new PoolSet(pools);
        private final Flights flights = new Flights(table::require, this::changed);
        private final LoadMeter load = new LoadMeter(sliceClock);
        private final LastKnownFile file = lastKnown == null ? null : new LastKnownFile(lastKnown);
        private final LastKnownWriter lastTables = file == null ? null : new LastKnownWriter(file);
        private final TableIntake intake =
                new TableIntake(cluster, applicationName, table, poolSet, lastTables, this::changed);
        private volatile AckSender acks;

        Shardwright start() throws IOException {
            FeedReader feed = null;
            if (!feeds.isEmpty()) {
                OperatorLine line = line();
                feed = new FeedReader(line, intake, random, FeedReader.SILENCE);
                Acknowledged state = new Acknowledged(
                        identity.podUid(), identity.podName(), identity.process(), role, table, flights, intake, load);
                acks = new AckSender(line, state, table, contact, feed, random);
            }
            MountedFile mountedFile = mounted == null ? null : new MountedFile(mounted);
            FenceWatch fences = new FenceWatch(applicationName, table, poolSet, contact);
            TableSources sources = new TableSources(intake, mountedFile, fences, feed, acks, lastTables);
            if (file != null) {
                file.read().ifPresent(document -> intake.offer(document, "last-known file"));
            }
            sources.readMounted();
            sources.start();
            awaitFeed(feed);
            RouterCounters counters = new RouterCounters();
            Router router = new Router(
                    role,
                    applicationName,
                    table,
                    flights,
                    poolSet,
                    contact,
                    new Scopes(table),
                    counters,
                    load,
                    random,
                    sources::refresh);
            return new Shardwright(router, sources);
        }

        private OperatorLine line() throws IOException {
            try {
                return new OperatorLine(feeds, namespace, cluster, tokenFile, caFile);
            } catch (GeneralSecurityException e) {
                throw new IOException("the CA file " + caFile + " cannot be used", e);
            }
        }

        private void awaitFeed(FeedReader feed) {
            try {
                if (feed != null) {
                    feed.awaitFirst(FEED_AT_BOOT_SECONDS, TimeUnit.SECONDS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        private void changed() {
            AckSender sender = acks;
            if (sender != null) {
                sender.changed();
            }
        }
    }
}
