package io.shardwright.client.table;

import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.pools.ShardTarget;
import io.shardwright.routing.MalformedTableException;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RoutingTableCodec;
import io.shardwright.routing.Scope;
import io.shardwright.routing.TableDigest;
import io.shardwright.routing.TableInvariants;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;

/**
 * Takes documents of any source, one at a time. An older one is ignored; a broken one is refused whole, the last good
 * table stays and the reason goes into the acknowledgement. Before a table with a handover is in force, connections
 * to the new owner are open and warm: writers must not wait for them in the middle of a switch.
 */
public final class TableIntake {
    private static final System.Logger LOG = System.getLogger(TableIntake.class.getName());
    private static final Duration REACH_LIMIT = Duration.ofSeconds(2);
    private static final String UNREACHABLE = "TargetUnreachable: ";

    private final String cluster;
    private final String applicationName;
    private final RouteTable table;
    private final PoolSet pools;
    private final LastKnownWriter lastKnown;
    private final Runnable changed;
    private final Set<Announced> reached = new HashSet<>();
    private final Map<String, String> refusals = new ConcurrentSkipListMap<>();
    private volatile String unreachable;

    /**
     * @param lastKnown where good tables are kept, or null
     * @param changed told after a table came into force and when the reason of a refusal changes
     */
    public TableIntake(
            String cluster,
            String applicationName,
            RouteTable table,
            PoolSet pools,
            LastKnownWriter lastKnown,
            Runnable changed) {
        this.cluster = cluster;
        this.applicationName = applicationName;
        this.table = table;
        this.pools = pools;
        this.lastKnown = lastKnown;
        this.changed = changed;
    }

    /**
     * Why the newest document of a source, or the handover in force, is not acknowledged. An acknowledgement reads the
     * view first and then this: the reason stands before the table is in force.
     */
    public Optional<String> nack() {
        return refusals.values().stream().findFirst().or(() -> Optional.ofNullable(unreachable));
    }

    /** @param source for the log: feed, file, last-known file */
    public synchronized void offer(String document, String source) {
        RoutingTable next;
        try {
            next = RoutingTableCodec.decode(document);
        } catch (MalformedTableException e) {
            refuse(e.getMessage(), source);
            return;
        }
        String digest = TableDigest.of(document);
        if (isKnown(next, digest)) {
            accept(source);
            return;
        }
        Optional<String> fault = fault(next);
        if (fault.isPresent()) {
            refuse(fault.get(), source);
            return;
        }
        unreachable = reachTargets(next);
        table.swap(next, digest);
        pools.retain(table.require().targets(applicationName));
        refusals.clear();
        LOG.log(System.Logger.Level.INFO, "table in force: {0} from {1}", next.order(), source);
        changed.run();
        if (lastKnown != null) {
            lastKnown.keep(document);
        }
    }

    /** Tries again to reach the targets of handovers that could not be reached. Does nothing when there are none. */
    public synchronized void reachAgain() {
        if (unreachable != null) {
            unreachable = reachTargets(table.require().table());
            if (unreachable == null) {
                changed.run();
            }
        }
    }

    private boolean isKnown(RoutingTable next, String digest) {
        return table.current()
                .map(view -> {
                    int order = next.order().compareTo(view.order());
                    return order < 0 || order == 0 && digest.equals(view.digest());
                })
                .orElse(false);
    }

    private Optional<String> fault(RoutingTable next) {
        if (!next.cluster().equals(cluster)) {
            return Optional.of("a table of cluster " + next.cluster() + ", this router serves " + cluster);
        }
        RoutingTable previous = table.current().map(RouteView::table).orElse(null);
        return TableInvariants.check(previous, next).stream().findFirst().map(Object::toString);
    }

    /** A handover as far as reaching its target goes; whom it is visible to changes nothing. */
    private record Announced(ShardTarget target, SortedMap<Scope, Long> scopes) {}

    /** Why the target of a handover is not reached, or null. One that was reached is not tried again. */
    private String reachTargets(RoutingTable next) {
        RouteView view = new RouteView(next, "");
        List<Announced> wanted = next.handovers().stream()
                .flatMap(handover -> view.target(handover.to(), applicationName).stream()
                        .map(target -> new Announced(target, handover.scopes())))
                .toList();
        reached.retainAll(wanted);
        for (Announced announced : wanted) {
            if (!reached.contains(announced)) {
                try {
                    int bucket = announced.scopes().isEmpty()
                            ? 0
                            : announced.scopes().firstKey().bucket();
                    pools.reach(announced.target(), REACH_LIMIT, new EntryTrial(bucket));
                    reached.add(announced);
                } catch (SQLException e) {
                    return UNREACHABLE + announced.target() + ": " + e.getMessage();
                }
            }
        }
        return null;
    }

    private void refuse(String reason, String source) {
        if (!reason.equals(refusals.put(source, reason))) {
            LOG.log(System.Logger.Level.WARNING, "table from {0} refused: {1}", source, reason);
            changed.run();
        }
    }

    private void accept(String source) {
        if (refusals.remove(source) != null) {
            changed.run();
        }
    }
}
