package io.shardwright.controllers.routing;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.report.Pace;
import io.shardwright.controllers.resources.TableResources;
import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableSpec;
import io.shardwright.meaning.Tables;
import io.shardwright.planning.table.Witness;
import io.shardwright.routing.TableInvariants;
import io.shardwright.routing.TableOrder;
import io.shardwright.routing.Violation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes routing tables. Safe against an old leader, a stale cache and a lost answer: a write happens only on top of the
 * state that was read just before, and the first one of a process raises the table's writer epoch, after which the leader
 * before can store nothing and learns that its term is over. Publishing the same twice writes once.
 */
public final class TablePublisher implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TablePublisher.class);
    private static final Duration PACE = Duration.ofSeconds(1);
    /** A router that shows tables which never were makes routers read the same once more so often, and no more. */
    static final Duration ANEW = Duration.ofMinutes(10);

    private static final int CONFLICTS = 10;

    private final KubernetesClient client;
    private final Runnable superseded;
    private final TableMirror mirror;
    private final MirrorWatch mirrorWatch;
    private final Pace<ResourceID> pace;
    private final Pace<ResourceID> anew;
    private final Map<ResourceID, Desk> desks = new ConcurrentHashMap<>();
    private final List<Consumer<ResourceID>> listeners = new CopyOnWriteArrayList<>();
    private final List<Consumer<ResourceID>> copyListeners = new CopyOnWriteArrayList<>();

    /** @param superseded called when a table shows that another process has taken over; it should end this one */
    public TablePublisher(KubernetesClient client, Runnable superseded, LongSupplier nanos) {
        this.client = client;
        this.superseded = superseded;
        this.mirror = new TableMirror(client);
        this.mirrorWatch = new MirrorWatch(client, this::copyWasSeen);
        this.pace = new Pace<>(PACE, nanos);
        this.anew = new Pace<>(ANEW, nanos);
    }

    /** What this process knows of one table; its monitor makes one write at a time. */
    private static final class Desk {
        private final KnownTables known = new KnownTables();
        /** writer epoch of this process, 0 before its first write */
        private volatile long ours;
        /** incarnation that it wrote last, 0 before its first write */
        private volatile long incarnation;
        /** why the last copy failed, null when it did not */
        private volatile String mirrorFault;
    }

    /** Called with the cluster after a newer table became known. */
    public void onPublished(Consumer<ResourceID> listener) {
        listeners.add(listener);
    }

    /** Called with the cluster when the copy that pods mount may have been deleted or changed by somebody. */
    public void onCopyDisturbed(Consumer<ResourceID> listener) {
        copyListeners.add(listener);
    }

    private void copyWasSeen(ResourceID cluster, ConfigMap stored) {
        if (mirror.disturbed(cluster, stored)) {
            copyListeners.forEach(listener -> listener.accept(cluster));
        }
    }

    /** The newest table that this process knows, read from the API server if it knows none; empty when there is none. */
    public Optional<PublishedTable> current(ResourceID cluster) {
        Desk desk = desk(cluster);
        if (desk.known.newest().isEmpty()) {
            read(cluster).ifPresent(object -> observe(cluster, object));
        }
        return desk.known.newest();
    }

    /** A watch does not show the table: what is known of it is forgotten when the API server has none either. */
    public void missing(ResourceID cluster) {
        if (read(cluster).isEmpty()) {
            desk(cluster).known.gone();
        }
    }

    /** The order of the table as the API server has it now; empty when there is none. */
    public Optional<TableOrder> storedNow(ResourceID cluster) {
        return read(cluster).map(object -> Tables.table(object).order());
    }

    /** What this process and the copy that pods mount know of the tables of a cluster; asks the API server while it knows none. */
    public List<Witness> witnesses(ResourceID cluster) {
        Desk desk = desk(cluster);
        List<Witness> witnesses = new ArrayList<>();
        desk.known.highest().ifPresent(order -> witnesses.add(new Witness("this operator", order, false)));
        copied(cluster, desk)
                .map(order -> new Witness("ConfigMap " + TableResources.configMapName(cluster.getName()), order, false))
                .ifPresent(witnesses::add);
        return witnesses;
    }

    /** Without the right to read the copy nothing is known of it; a table that is published says so. */
    private Optional<TableOrder> copied(ResourceID cluster, Desk desk) {
        if (desk.known.newest().isPresent()) {
            return mirror.ahead(cluster);
        }
        try {
            return mirror.stored(cluster);
        } catch (KubernetesClientException e) {
            LOG.warn("the copy of a table cannot be read: cluster={} cause={}", cluster, e.getMessage());
            return Optional.empty();
        }
    }

    /** Digests of the tables of an incarnation, from a revision on, that this process has seen stored. */
    public Set<String> digests(ResourceID cluster, long incarnation, long fromRevision) {
        return desk(cluster).known.digests(incarnation, fromRevision);
    }

    /** Whether this process has written the table in its term. */
    public boolean claimed(ResourceID cluster) {
        return desk(cluster).ours > 0;
    }

    /** Takes note of a table that a watch delivered. */
    public void observe(ResourceID cluster, RoutingTable object) {
        Desk desk = desk(cluster);
        checkTerm(cluster, desk, object.getSpec());
        if (desk.known.add(PublishedTable.of(Tables.table(object)))) {
            listeners.forEach(listener -> listener.accept(cluster));
        }
    }

    /**
     * As {@link #publish}, but at most once per second and cluster: for steps whose delay costs routers a refused attempt,
     * not a hold.
     */
    public Publication publishPaced(ResourceID cluster, UnaryOperator<io.shardwright.routing.RoutingTable> edit) {
        Optional<Duration> delay = pace.wait(cluster);
        if (delay.isPresent()) {
            return new Publication.Deferred(delay.get());
        }
        Publication.Stored stored = publish(cluster, edit);
        if (stored.changed()) {
            pace.written(cluster);
        }
        return stored;
    }

    /**
     * Brings the table to the content that the edit wants.
     *
     * @param edit pure; gets the stored table (null when there is none) and gives the wanted one; order and writer epoch of
     *     its answer are ignored, an equal content means that nothing is to be done
     * @throws TableRefusedException when the result breaks a rule; nothing was written
     * @throws IllegalStateException when the stored table is older than one that this process knows: routers would ignore
     *     what is written on it, and it is published anew first
     */
    public Publication.Stored publish(ResourceID cluster, UnaryOperator<io.shardwright.routing.RoutingTable> edit) {
        Desk desk = desk(cluster);
        synchronized (desk) {
            Optional<TableOrder> known = desk.known.highest(); // before the table is read
            return store(cluster, desk, stored -> {
                if (stored != null
                        && known.filter(order -> order.compareTo(stored.order()) > 0)
                                .isPresent()) {
                    throw new IllegalStateException("the stored routing table, " + stored.order()
                            + ", is older than one that was published, " + known.get()
                            + ": it is published anew first");
                }
                return TableSuccession.next(stored, edit.apply(stored), desk.ours);
            });
        }
    }

    /**
     * As {@link #publish}, in a new incarnation when the history of the stored table was lost: routers take it whatever
     * they have. Who shows what was never stored is obeyed once in ten minutes.
     *
     * @param witness heard before this call; when the stored table is not older, this is an ordinary publication
     * @param edit must bring the table to the truth, for routers go back to it
     */
    public Publication publishAnew(
            ResourceID cluster, Witness witness, UnaryOperator<io.shardwright.routing.RoutingTable> edit) {
        Optional<Duration> delay = anew.wait(cluster);
        if (delay.isPresent()) {
            return new Publication.Deferred(delay.get());
        }
        Desk desk = desk(cluster);
        synchronized (desk) {
            Publication.Stored stored =
                    store(cluster, desk, table -> TableSuccession.anew(table, edit.apply(table), desk.ours, witness));
            if (stored.changed()) {
                anew.written(cluster);
            }
            return stored;
        }
    }

    private Publication.Stored store(
            ResourceID cluster, Desk desk, UnaryOperator<io.shardwright.routing.RoutingTable> succession) {
        Publication.Stored stored = write(cluster, desk, succession);
        mirror(cluster, desk, stored.table());
        return stored;
    }

    /** A table is published once it is stored; who mounts its copy hears of it later, and {@link #mirrorFault} says so. */
    private void mirror(ResourceID cluster, Desk desk, PublishedTable table) {
        try {
            mirror.write(cluster, table);
            desk.mirrorFault = null;
            mirrorWatch.watch(cluster);
        } catch (KubernetesClientException e) {
            LOG.warn("a table was not mirrored and is tried again: cluster={} cause={}", cluster, e.getMessage());
            desk.mirrorFault = "ConfigMap " + TableResources.configMapName(cluster.getName())
                    + " is behind the routing table and cannot be written: " + e.getMessage();
        }
    }

    /** Why pods that mount the table read an older one; empty when they do not. */
    public Optional<String> mirrorFault(ResourceID cluster) {
        return Optional.ofNullable(desk(cluster).mirrorFault);
    }

    /** Does nothing unless the last copy failed, or was deleted or changed by somebody. */
    public void mirrorAgain(ResourceID cluster) {
        Desk desk = desk(cluster);
        synchronized (desk) {
            desk.known.newest().ifPresent(table -> mirror(cluster, desk, table));
        }
    }

    private Publication.Stored write(
            ResourceID cluster, Desk desk, UnaryOperator<io.shardwright.routing.RoutingTable> succession) {
        for (int attempt = 1; ; attempt++) {
            Optional<RoutingTable> before = read(cluster);
            before.ifPresent(object -> observe(cluster, object));
            io.shardwright.routing.RoutingTable stored =
                    before.map(Tables::table).orElse(null);
            io.shardwright.routing.RoutingTable wanted = succession.apply(stored);
            if (wanted.equals(stored)) {
                return new Publication.Stored(PublishedTable.of(stored), false);
            }
            List<Violation> violations = TableInvariants.checkWrite(stored, wanted);
            if (!violations.isEmpty()) {
                throw new TableRefusedException(cluster.getName(), violations);
            }
            try {
                RoutingTable written = write(cluster, before, wanted);
                desk.ours = written.getSpec().writerEpoch();
                desk.incarnation = written.getSpec().incarnation();
                observe(cluster, written);
                LOG.info("table published: cluster={} order={} writerEpoch={}", cluster, wanted.order(), desk.ours);
                return new Publication.Stored(PublishedTable.of(Tables.table(written)), true);
            } catch (KubernetesClientException e) {
                if (e.getCode() != 409 || attempt == CONFLICTS) {
                    throw e;
                }
            }
        }
    }

    private RoutingTable write(
            ResourceID cluster, Optional<RoutingTable> before, io.shardwright.routing.RoutingTable wanted) {
        RoutingTable next = TableResources.object(cluster, wanted);
        if (before.isEmpty()) {
            return client.resource(next).create();
        }
        next.setMetadata(before.get().getMetadata());
        return client.resource(next).update();
    }

    private Optional<RoutingTable> read(ResourceID cluster) {
        return Optional.ofNullable(client.resources(RoutingTable.class)
                .inNamespace(cluster.getNamespace().orElseThrow())
                .withName(cluster.getName())
                .get());
    }

    /** Writer epochs go back with a table that is restored, and the incarnation that follows does not. */
    private void checkTerm(ResourceID cluster, Desk desk, RoutingTableSpec stored) {
        long writerEpoch = stored.writerEpoch();
        if (desk.ours > 0 && (writerEpoch > desk.ours || stored.incarnation() > desk.incarnation)) {
            LOG.error("another process publishes: cluster={} ours={} stored={}", cluster, desk.ours, writerEpoch);
            superseded.run();
            throw new IllegalStateException("the term of this process is over: writer epoch " + writerEpoch + " of "
                    + cluster.getName() + ", incarnation " + stored.incarnation() + ", is not of its own "
                    + desk.ours);
        }
    }

    private Desk desk(ResourceID cluster) {
        return desks.computeIfAbsent(cluster, any -> new Desk());
    }

    /** Forgets a cluster that is gone; its table stays, because routers work by it. */
    public void forget(ResourceID cluster) {
        desks.remove(cluster);
        pace.forget(cluster);
        anew.forget(cluster);
        mirrorWatch.forget(cluster);
        mirror.forget(cluster);
    }

    /** Ends the watches; nothing is published afterwards. */
    @Override
    public void close() {
        mirrorWatch.close();
    }
}
