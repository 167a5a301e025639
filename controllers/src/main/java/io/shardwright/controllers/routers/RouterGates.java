package io.shardwright.controllers.routers;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.controllers.routing.PublishedTable;
import io.shardwright.controllers.routing.TablePublisher;
import io.shardwright.crds.shardcluster.RouterGroup;
import io.shardwright.crds.shardcluster.ShardCluster;
import io.shardwright.planning.acks.AckCount;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.acks.AckRequirement;
import io.shardwright.planning.acks.HeardAck;
import io.shardwright.planning.acks.LiveRouter;
import io.shardwright.planning.table.Witness;
import io.shardwright.routing.Role;
import io.shardwright.routing.TableOrder;
import io.shardwright.routing.TableRule;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/** Brings live routers, what was heard of them, and what was published together into gates. */
public final class RouterGates {
    private final RouterPods pods;
    private final AckStore acks;
    private final TablePublisher tables;
    private final LongSupplier nanos;

    public RouterGates(RouterPods pods, AckStore acks, TablePublisher tables, LongSupplier nanos) {
        this.pods = pods;
        this.acks = acks;
        this.tables = tables;
        this.nanos = nanos;
    }

    /** Every role that the cluster declares. */
    public static Set<Role> roles(ShardCluster cluster) {
        Set<Role> roles = EnumSet.noneOf(Role.class);
        cluster.getSpec().routers().forEach(group -> roles.add(role(group)));
        return roles;
    }

    /** By the pods as the cache shows them; unknown while the cache cannot be trusted. */
    public AckGate gate(
            ShardCluster cluster, AckRequirement.Kind kind, Set<Role> roles, PublishedTable table, long revision) {
        String namespace = cluster.getMetadata().getNamespace();
        return pods.in(namespace)
                .map(seen -> gate(cluster, kind, roles, table, revision, seen))
                .orElseGet(() -> AckGate.unknown("the pods of namespace " + namespace + " are being listed"));
    }

    /** The pods as the API server lists them now; before what cannot be taken back. */
    public List<RouterPod> listNow(ShardCluster cluster) {
        return pods.readNow(cluster.getMetadata().getNamespace());
    }

    /** By these pods. */
    public AckGate gate(
            ShardCluster cluster,
            AckRequirement.Kind kind,
            Set<Role> roles,
            PublishedTable table,
            long revision,
            List<RouterPod> seen) {
        ResourceID id = ResourceID.fromResource(cluster);
        long incarnation = table.table().order().incarnation();
        AckRequirement required =
                new AckRequirement(kind, incarnation, revision, roles, tables.digests(id, incarnation, revision));
        return AckCount.count(required, live(cluster, seen), heard(id));
    }

    private Collection<HeardAck> heard(ResourceID cluster) {
        long now = nanos.getAsLong();
        return acks.heard(cluster).processes().stream()
                .map(one -> new HeardAck(one.ack(), Duration.ofNanos(Math.max(0, now - one.heardNanos()))))
                .toList();
    }

    /** See {@link HeardAcks#lastInterruption()}. */
    public OptionalLong lastInterruption(ResourceID cluster) {
        return acks.heard(cluster).lastInterruption();
    }

    /** The tables that routers have said to have in force. That one has had a table stays true when it falls silent. */
    public List<Witness> witnesses(ResourceID cluster) {
        return acks.heard(cluster).processes().stream()
                .map(HeardAcks.Heard::ack)
                .filter(said -> said.incarnation() > 0)
                .map(said -> new Witness(
                        said.pod() + " (" + said.role().wire() + ")",
                        new TableOrder(said.incarnation(), said.appliedRevision(), said.generation()),
                        refusesSuccessor(said.nack())))
                .toList();
    }

    /** A writer epoch that shrinks, or one revision with two contents: no history of one table has these. */
    private static boolean refusesSuccessor(String nack) {
        return nack != null
                && Stream.of(TableRule.T2, TableRule.T3).anyMatch(rule -> nack.startsWith(rule.name() + ": "));
    }

    private static List<LiveRouter> live(ShardCluster cluster, List<RouterPod> seen) {
        List<LiveRouter> live = new ArrayList<>();
        for (RouterGroup group : cluster.getSpec().routers()) {
            Role role = role(group);
            seen.stream()
                    .filter(RouterPod::live)
                    .filter(pod -> pod.labels()
                            .entrySet()
                            .containsAll(group.podSelector().matchLabels().entrySet()))
                    .forEach(pod -> live.add(new LiveRouter(pod.name(), pod.uid(), role, pod.processes())));
        }
        return live;
    }

    private static Role role(RouterGroup group) {
        return Role.fromWire(group.role() == RouterGroup.Role.WORKER ? "worker" : "web");
    }
}
