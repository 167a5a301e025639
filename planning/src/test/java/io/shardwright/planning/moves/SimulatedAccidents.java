package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Task;
import io.shardwright.routing.Scope;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What happens to the two databases of a history: a source that takes no writes, rows that go wrong, failovers that undo commits. */
final class SimulatedAccidents {
    private final MoveWorld world;
    private final SimulatedTable table;
    private final Map<Leg, Task> tasks;
    private final Consumer<Supplier<String>> story;
    private final Runnable anotherLeader;

    SimulatedAccidents(
            MoveWorld world,
            SimulatedTable table,
            Map<Leg, Task> tasks,
            Consumer<Supplier<String>> story,
            Runnable anotherLeader) {
        this.world = world;
        this.table = table;
        this.tasks = tasks;
        this.story = story;
        this.anotherLeader = anotherLeader;
    }

    /** Mostly where it hurts, behind a fence; and long enough that nobody may wait for its end. */
    void ofWriting() {
        boolean fenced = !world.there.fenced().isEmpty();
        int once = world.sourceTakesWrites ? (fenced ? 12 : 500) : 60;
        if (world.random.nextInt(once) == 0) {
            world.sourceTakesWrites ^= true;
            boolean takesWrites = world.sourceTakesWrites;
            story.accept(() -> "the source takes " + (takesWrites ? "writes again" : "no writes"));
            if (fenced && !takesWrites) {
                anotherLeader.run(); // else most fences are activated by the stream that runs
            }
        }
        if (fenced && world.random.nextInt(30) == 0) {
            world.there.copied = false;
            story.accept(() -> "the log of the source is lost");
        }
    }

    void ofRows(boolean cleaning, SimulatedMover there, SimulatedMover back) {
        if (!world.flipped && world.random.nextInt(800) == 0 && !cleaning) {
            world.flipped = true;
            story.accept(() -> "a byte on T is flipped");
        }
        if (!world.written && world.random.nextInt(120) == 0 && followsBeforeTheFirstSwitch(there, back)) {
            world.written = true;
            back.bringsWhatNobodyMayWrite();
            story.accept(() -> "somebody writes on T past the fence");
        }
    }

    private boolean followsBeforeTheFirstSwitch(SimulatedMover there, SimulatedMover back) {
        boolean switching =
                there.view().running().filter(MoveStep.SWITCH::equals).isPresent();
        return !switching
                && back.view().running().isEmpty()
                && back.view().stage() == MoveObservation.Stage.FOLLOWING
                && world.source.values().stream().noneMatch(world.there::ours);
    }

    /** The groups are activated in the order of their buckets, and the newest commits are lost. */
    void ofFailovers(SimulatedLeg leg) {
        Task task = tasks.get(leg.leg);
        if (world.chance(1)) {
            Scope first = Scope.bucket(world.random.nextInt(13));
            task.scopes().tailSet(first).stream()
                    .filter(scope -> !table.ownerOf(scope).equals(task.to()))
                    .forEach(leg::targetLosesACommit);
            story.accept(() -> "the target of the leg " + leg.leg + " loses a commit in a failover");
        }
        if (world.random.nextInt(400) == 0) {
            Scope first = Scope.bucket(world.random.nextInt(13));
            task.scopes().tailSet(first).forEach(leg::sourceLosesItsFence);
            story.accept(() -> "the source of the leg " + leg.leg + " loses a fence in a failover");
        }
    }
}
