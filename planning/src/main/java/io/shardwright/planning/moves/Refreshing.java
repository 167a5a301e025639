package io.shardwright.planning.moves;

import java.util.Optional;
import java.util.function.Function;

/**
 * Reads known fence rows again beside whatever else is decided. A wait goes on saying what it says; anything that would
 * be done, or would end the move, waits for the fresh rows, because it was decided on old ones.
 */
final class Refreshing {
    private Refreshing() {}

    /** @param plan what to do by the truth, from a situation in which nobody reads it */
    static MoveDecision plan(MoveObservation seen, Function<Situation, MoveDecision> plan) {
        boolean looking =
                seen.mover().running().filter(MoveStep.OBSERVE::equals).isPresent();
        Situation now = new Situation(looking ? seen.idle() : seen);
        MoveDecision decision = plan.apply(now);
        if (looking) {
            return decision instanceof MoveDecision.Wait ? decision : beingRead(seen, decision);
        }
        if (TruthChecks.isDue(now) && !TruthChecks.leftNoTrace(now)) {
            return beside(seen, decision, look(seen));
        }
        return decision instanceof MoveDecision.Act act && act.takes(MoveStep.OBSERVE)
                ? MoveDecision.Aside.silent(seen.stored(), act)
                : decision;
    }

    private static MoveDecision beingRead(MoveObservation seen, MoveDecision decision) {
        Optional<MoveDecision.Wait> shown =
                decision instanceof MoveDecision.Aside aside ? aside.shown() : Optional.empty();
        return new MoveDecision.Aside(
                shown.map(MoveDecision::phase).orElse(seen.stored()),
                "the fence rows are being read again",
                Optional.empty(),
                shown);
    }

    private static MoveDecision beside(MoveObservation seen, MoveDecision decision, MoveDecision.Act look) {
        return switch (decision) {
            case MoveDecision.Wait wait -> MoveDecision.Aside.beside(wait, look);
            case MoveDecision.Aside aside ->
                aside.shown()
                        .map(wait -> MoveDecision.Aside.beside(wait, look))
                        .orElseGet(() -> MoveDecision.Aside.silent(seen.stored(), look));
            case MoveDecision.Act act -> MoveDecision.Aside.silent(seen.stored(), look);
            case MoveDecision.Done done -> MoveDecision.Aside.silent(seen.stored(), look);
        };
    }

    private static MoveDecision.Act look(MoveObservation seen) {
        return new MoveDecision.Act(
                seen.stored(), MoveStep.OBSERVE, seen.task().scopes(), "the fence rows were read a while ago");
    }
}
