package io.shardwright.planning.moves;

import io.shardwright.planning.acks.AckGate;
import io.shardwright.planning.acks.AckRequirement;
import io.shardwright.planning.moves.MoveObservation.Acks;
import io.shardwright.planning.moves.MoveObservation.Drain;
import io.shardwright.planning.moves.MoveObservation.TableView;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.routing.Handover;
import io.shardwright.routing.Role;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** What one leader remembers of one leg, and loses with its leadership: the mover, and since when it has seen what. */
final class SimulatedLeader {
    private final SimulatedTable table;
    private final Task task;
    private final Map<String, Long> revisions = new TreeMap<>();
    final SimulatedMover mover;
    private long now;
    private long changedAt;
    private long workersAt;
    private long webAt;
    private long openSince = -1;
    private long foldedSince = -1;

    SimulatedLeader(SimulatedTable table, Task task, SimulatedMover mover, long now) {
        this.table = table;
        this.task = task;
        this.mover = mover;
        this.now = now;
        changedAt = now;
        workersAt = now;
        webAt = now;
        mover.lastDrainAt = now;
    }

    /** Another mover takes the place of one that is replaced; everything else is remembered. */
    SimulatedLeader with(SimulatedMover other) {
        SimulatedLeader same = new SimulatedLeader(table, task, other, now);
        same.changedAt = changedAt;
        same.workersAt = workersAt;
        same.webAt = webAt;
        same.openSince = openSince;
        same.foldedSince = foldedSince;
        same.revisions.putAll(revisions);
        other.failedDrains = mover.failedDrains;
        return same;
    }

    void at(long time) {
        now = time;
        mover.now = time;
    }

    /** The legs change turns: what this one has seen is older than what the other one does. */
    void turn() {
        openSince = -1;
        mover.forgetTruth();
    }

    void wrote(MoveStep step) {
        changedAt = now;
        workersAt = step == MoveStep.PUBLISH_TO_WORKERS ? now : workersAt;
        webAt = step == MoveStep.PUBLISH_TO_WEB ? now : webAt;
    }

    record Seen(TableView table, Acks acks, Duration foldedFor, Drain drain) {}

    Seen look() {
        SortedSet<Scope> announced = handedOver(null);
        SortedSet<Scope> workers = handedOver(Role.WORKER);
        SortedSet<Scope> web = handedOver(Role.WEB);
        SortedSet<Scope> folded = new TreeSet<>(task.scopes());
        folded.removeIf(scope -> !table.ownerOf(scope).equals(task.to()));
        AckGate foldedGate = gate(AckRequirement.Kind.CLEANUP, "folded " + folded, EnumSet.allOf(Role.class));
        openSince = foldedGate.open() && !folded.isEmpty() ? (openSince < 0 ? now : openSince) : -1;
        foldedSince = folded.isEmpty() || !announced.isEmpty() ? -1 : (foldedSince < 0 ? now : foldedSince);
        Acks acks = new Acks(
                gate(AckRequirement.Kind.ANNOUNCEMENT, "announced " + announced, EnumSet.allOf(Role.class)),
                gate(AckRequirement.Kind.ANNOUNCEMENT, "workers " + workers, EnumSet.of(Role.WORKER)),
                gate(AckRequirement.Kind.ANNOUNCEMENT, "web " + web, EnumSet.of(Role.WEB)),
                foldedGate,
                openSince < 0 ? Duration.ZERO : since(openSince));
        return new Seen(
                new TableView(announced, workers, web, folded, since(changedAt), since(workersAt), since(webAt)),
                acks,
                foldedSince < 0 ? Duration.ZERO : since(foldedSince),
                new Drain(mover.failedDrains, since(mover.lastDrainAt), List.of("pid 4711")));
    }

    /** @param role null: whoever sees it */
    private SortedSet<Scope> handedOver(Role role) {
        SortedSet<Scope> found = new TreeSet<>();
        for (Handover handover : table.now().handovers()) {
            if (handover.to().equals(task.to())
                    && (role == null || handover.visibleTo().contains(role))) {
                found.addAll(handover.scopes().keySet());
            }
        }
        return found;
    }

    /** The revision in which this leader first saw the content; acknowledgements of it stay good. */
    private AckGate gate(AckRequirement.Kind kind, String content, Set<Role> roles) {
        long revision =
                revisions.computeIfAbsent(content, seen -> table.now().order().revision());
        return table.gate(kind, revision, roles, now);
    }

    private Duration since(long then) {
        return Duration.ofMillis(now - then);
    }
}
