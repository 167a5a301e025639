package io.shardwright.controllers.bucketmove;

import io.shardwright.controllers.report.Transition;
import io.shardwright.crds.Blocker;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.planning.moves.MovePhase;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** What of a move's story is worth an event: a change of phase that its history keeps, and that routers begin to hold it. */
final class MoveTransitions {
    private static final Set<MovePhase> ALARMING =
            EnumSet.of(MovePhase.BLOCKED, MovePhase.FAILED, MovePhase.ABORTING, MovePhase.ABORTED);

    private static final Set<String> OWNERS = Set.of(Reason.TWO_OWNERS.wire(), Reason.OWNER_DEMOTED.wire());

    private MoveTransitions() {}

    static List<Transition> between(BucketMoveStatus before, BucketMoveStatus after) {
        List<Transition> transitions = new ArrayList<>();
        if (!after.history().equals(before.history())) {
            transitions.add(phase(after));
        }
        routers(before, after).ifPresent(transitions::add);
        wayBack(before, after).ifPresent(transitions::add);
        owners(before, after).ifPresent(transitions::add);
        return transitions;
    }

    /** That a move cannot be reversed any more is a warning, unless its time is simply over. */
    private static Optional<Transition> wayBack(BucketMoveStatus before, BucketMoveStatus after) {
        return lost(after)
                .filter(now -> lost(before)
                        .filter(was -> was.reason().equals(now.reason()))
                        .isEmpty())
                .map(now -> Transition.warning(now.reason(), now.message()));
    }

    private static Optional<Condition> lost(BucketMoveStatus status) {
        return Conditions.find(status.conditions(), ConditionType.REVERSIBLE)
                .filter(one -> one.reason().equals(Reason.WAY_BACK_LOST.wire())
                        || one.reason().equals(Reason.REVERSAL_ABORTED.wire()));
    }

    /** A move that is Blocked already may meet two owners; that is news, and so is the one that was closed. */
    private static Optional<Transition> owners(BucketMoveStatus before, BucketMoveStatus after) {
        boolean toldByPhase = !after.history().equals(before.history());
        return progressing(after)
                .filter(now -> !toldByPhase && OWNERS.contains(now.reason()))
                .filter(now -> progressing(before)
                        .filter(was -> was.reason().equals(now.reason()))
                        .isEmpty())
                .map(now -> Transition.warning(now.reason(), now.message()));
    }

    private static Optional<Condition> progressing(BucketMoveStatus status) {
        return Conditions.find(status.conditions(), ConditionType.PROGRESSING);
    }

    private static Transition phase(BucketMoveStatus after) {
        String reason = progressing(after).map(Condition::reason).orElse(after.phase());
        String message = after.phase() + ": "
                + after.history().get(after.history().size() - 1).evidence()
                + (after.nextAction() == null ? "" : "; " + after.nextAction());
        return ALARMING.contains(MovePhase.fromWire(after.phase()))
                ? Transition.warning(reason, message)
                : Transition.normal(reason, message);
    }

    private static Optional<Transition> routers(BucketMoveStatus before, BucketMoveStatus after) {
        List<Blocker> holding = holding(after);
        if (holding.isEmpty() || !holding(before).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(Transition.warning(
                Reason.AWAITING_ACKS.wire(),
                "routers hold the move: "
                        + holding.stream()
                                .map(one -> one.name() + " " + one.reason())
                                .collect(Collectors.joining("; "))));
    }

    private static List<Blocker> holding(BucketMoveStatus status) {
        return status.blockedBy().stream()
                .filter(one -> one.kind().equals("Router"))
                .toList();
    }
}
