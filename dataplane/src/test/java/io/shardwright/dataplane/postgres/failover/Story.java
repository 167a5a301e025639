package io.shardwright.dataplane.postgres.failover;

import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** What becomes of a bucket, and how one process brings it nearer to that, from whatever it finds. */
enum Story {
    MOVED("MOVED 2 / OWNED 2") {
        @Override
        boolean attempt(Scene scene, Crew crew) {
            return (scene.thereOwns() || prepared(scene, crew) && switched(scene, crew))
                    && crew.moves(Command.CLEAN_UP);
        }
    },

    /** After the switch, and after the application has written on the new owner. */
    REVERSED("OWNED 3 / MOVED 3") {
        @Override
        boolean attempt(Scene scene, Crew crew) {
            String fences = scene.fences();
            boolean undecided = fences.startsWith("OWNED 1") || fences.equals("MOVED 2 / IMPORTING 1");
            if (undecided && !(crew.movesBack(Command.FOLLOW) && prepared(scene, crew) && switched(scene, crew))) {
                return false;
            }
            return (scene.hereOwns() || written(scene, crew) && takenBack(scene, crew))
                    && crew.movesBack(Command.CLEAN_UP)
                    && crew.moves(Command.CLEAN_UP);
        }
    },

    /** While the stream keeps the target near. */
    ABORTED_IN_CATCH_UP("OWNED 3 / ABORTED 1") {
        @Override
        boolean attempt(Scene scene, Crew crew) {
            return (scene.fences().contains("ABORTED") || prepared(scene, crew)) && crew.moves(Command.ABORT);
        }
    },

    /** The mover that has fenced is gone before it activates. */
    ABORTED_AFTER_FENCE("OWNED 3 / ABORTED 1") {
        @Override
        boolean attempt(Scene scene, Crew crew) {
            return scene.fences().startsWith("OWNED 1")
                    ? prepared(scene, crew) && switched(scene, crew)
                    : crew.moves(Command.ABORT);
        }

        @Override
        Optional<MoverStep> deadly() {
            return Optional.of(MoverStep.ACTIVATE_TARGET);
        }
    };

    private final String fences;

    Story(String fences) {
        this.fences = fences;
    }

    /** What a planner would do, once; @return whether the story is at its end. */
    abstract boolean attempt(Scene scene, Crew crew);

    /** Both fence rows at the end. */
    String fences() {
        return fences;
    }

    /** Step before which the mover of a clean run dies. */
    Optional<MoverStep> deadly() {
        return Optional.empty();
    }

    private static boolean prepared(Scene scene, Crew crew) {
        boolean prepared = crew.moves(Command.PREPARE);
        if (prepared && scene.hereOwns()) { // else it has finished what was fenced, and all is written
            scene.writeHere();
        }
        return prepared;
    }

    private static boolean switched(Scene scene, Crew crew) {
        return scene.thereOwns() || crew.moves(Command.VERIFY) && crew.switches(scene::thereOwns);
    }

    private static boolean written(Scene scene, Crew crew) {
        if (scene.fences().equals(MOVED.fences)) {
            if (!crew.moves(Command.RETIRE)) {
                return false;
            }
            scene.writeThere();
        }
        return true;
    }

    private static boolean takenBack(Scene scene, Crew crew) {
        return crew.movesBack(Command.PREPARE)
                && (scene.hereOwns() || crew.movesBack(Command.VERIFY) && crew.switchesBack(scene::hereOwns));
    }

    /** The rows of the owner at the end. */
    String rows() {
        boolean writtenThere = this == REVERSED;
        Stream<String> orders =
                IntStream.rangeClosed(1, writtenThere ? 22 : 21).mapToObj(id -> id + note(id, writtenThere));
        Stream<String> items = IntStream.rangeClosed(1, 20)
                .filter(id -> id != 4 && !(writtenThere && id == 6))
                .mapToObj(id -> id + "/" + id + "sku");
        return Stream.concat(orders, items).collect(Collectors.joining(" "));
    }

    private static String note(int id, boolean writtenThere) {
        if (id == 3 || id == 21) {
            return "new";
        }
        return id == 22 || (id == 5 && writtenThere) ? "there" : "old";
    }
}
