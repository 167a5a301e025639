package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Intent;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Changes what is wanted of a move, and later does what the move waits for. */
final class SimulatedPerson {
    private final MoveWorld world;
    private final Consumer<Supplier<String>> story;
    private Intent intent = Intent.RUN;
    private boolean removed;

    SimulatedPerson(MoveWorld world, Consumer<Supplier<String>> story) {
        this.world = world;
        this.story = story;
    }

    Intent wants() {
        return intent;
    }

    Intent wantsOfTheWayBack() {
        return switch (intent) {
            case REVERSE -> Intent.RUN;
            case PAUSE -> Intent.PAUSE;
            case RUN, ABORT, COMPLETE -> Intent.ABORT;
        };
    }

    boolean hasRemovedIt() {
        return removed;
    }

    void changesHisMind(boolean pointOfNoReturn) {
        Intent[] all = Intent.values();
        wish(world.random.nextInt(2) == 0 ? all[world.random.nextInt(all.length)] : Intent.RUN, pointOfNoReturn);
    }

    void doesWhatIsAsked(MoveDecision.Wait wait, boolean pointOfNoReturn) {
        boolean nothingElseHelps = wait.awaited().contains("cannot be compared any more");
        boolean annotated = wait.awaited().contains("annotate it with shardwright.io/force-remove=");
        boolean deleted = wait.awaited().contains("then delete it");
        removed = nothingElseHelps && annotated && deleted;
        if (wait.awaited().contains("spec.intent Run") && intent != Intent.RUN) {
            wish(Intent.RUN, pointOfNoReturn);
        } else if (wait.awaited().equals("spec.intent Reverse")) {
            wish(Intent.REVERSE, pointOfNoReturn);
        } else if (wait.awaited().contains("spec.intent to Abort")) {
            wish(Intent.ABORT, pointOfNoReturn);
        }
        if (wait.awaited().contains("removes the record")) {
            world.demoted.clear();
        }
        world.flipped &= !wait.awaited().contains("compares the rows");
    }

    /** After the point of no return there is nothing to abort or to reverse. */
    private void wish(Intent wanted, boolean pointOfNoReturn) {
        boolean undo = wanted == Intent.ABORT || wanted == Intent.REVERSE;
        if (wanted != intent && !(undo && pointOfNoReturn)) {
            intent = wanted;
            story.accept(() -> "wanted: " + wanted);
        }
    }
}
