package io.shardwright.planning.moves;

import io.shardwright.planning.acks.AckCount;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.acks.AckRequirement;
import io.shardwright.planning.acks.HeardAck;
import io.shardwright.planning.acks.LiveRouter;
import io.shardwright.planning.table.TableEdits;
import io.shardwright.planning.table.TableFixture;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Role;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.Scope;
import io.shardwright.routing.TableInvariants;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/** The published table of a simulated cluster, and the routers that route by it, each in its own time. */
final class SimulatedTable {
    private final MoveWorld world;
    private final Map<LiveRouter, long[]> routers = new LinkedHashMap<>();
    private RoutingTable table = TableFixture.aTable(16, 1);

    SimulatedTable(MoveWorld world, long now) {
        this.world = world;
        for (FenceRow row : world.source.values()) {
            SortedMap<Scope, Long> epoch = new TreeMap<>(Map.of(row.scope(), row.epoch()));
            table = TableEdits.fold(table, epoch, MoveWorld.SOURCE);
        }
        for (Role role : Role.values()) {
            for (int i = 0; i < 2; i++) {
                String name = "orders-" + role.wire() + "-" + i;
                routers.put(new LiveRouter(name, "uid-" + name, role, 1), new long[] {1, now, 0});
            }
        }
    }

    RoutingTable now() {
        return table;
    }

    String ownerOf(Scope scope) {
        return table.owner(scope);
    }

    /** @return false when nothing was written: nothing to do, or a conflict */
    boolean write(RoutingTable edited) {
        if (edited == table || world.chance(5)) {
            return false;
        }
        RoutingTable next = TableFixture.next(edited);
        var violations = TableInvariants.checkWrite(table, next);
        if (!violations.isEmpty()) {
            throw new AssertionError("the table breaks " + violations);
        }
        table = next;
        return true;
    }

    void tick(long now) {
        routers.forEach((router, said) -> {
            boolean silent = now < said[2];
            if (!silent && world.chance(1)) {
                said[2] = now + 60_000;
            } else if (!silent || world.calm) {
                said[0] = world.random.nextInt(3) == 0 ? table.order().revision() : said[0];
                said[1] = now;
            }
        });
    }

    AckGate gate(AckRequirement.Kind kind, long revision, Set<Role> roles, long now) {
        List<HeardAck> heard = new ArrayList<>();
        routers.forEach((router, said) -> heard.add(new HeardAck(
                new Acknowledgement(
                        router.instance(),
                        "boot",
                        router.name(),
                        router.role(),
                        1,
                        "0",
                        1,
                        said[0],
                        1,
                        said[0],
                        "d",
                        null,
                        "sim"),
                Duration.ofMillis(now - said[1]))));
        return AckCount.count(
                new AckRequirement(kind, 1, revision, roles, Set.of("d")), List.copyOf(routers.keySet()), heard);
    }
}
