package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveLife.next;
import static io.shardwright.controllers.bucketmove.MoveSight.EIGHT;
import static io.shardwright.controllers.bucketmove.MoveSight.act;
import static io.shardwright.controllers.bucketmove.MoveSight.awaiting;
import static io.shardwright.controllers.bucketmove.MoveSight.verified;

import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveDecision.Done;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A move that soaks, what its way back looks like, and the statuses of one that is taken back. */
final class ReversalLife {
    static final Instant NINE = EIGHT.plus(Duration.ofHours(1));
    static final String LOST = "the slot of the way back was removed";

    private ReversalLife() {}

    static MoveSight soaking(Duration since) {
        return verified(3, 17).following().foldedFor(since);
    }

    static MoveDecision reversible() {
        return awaiting(MovePhase.REVERSIBLE, "ds-4 owns all buckets, and ds-0 follows", "the end of the soak");
    }

    /** The way back, with what its mover has switched. */
    static MoveSight back(Integer... returned) {
        List<MoveReport.Switch> switches = Stream.of(returned)
                .map(bucket -> new MoveReport.Switch(
                        new TreeMap<>(Map.of(Scope.bucket(bucket), 3L)),
                        true,
                        2.5,
                        9.0,
                        Map.of("drain", 2.0),
                        List.of()))
                .toList();
        return new MoveSight()
                .intent(Intent.REVERSE)
                .rowsBack(FenceState.OWNED, FenceState.IMPORTING, returned)
                .report(Stage.IN_SYNC, new Progress(0, 0, 0, 512), switches, Optional.empty());
    }

    /** From the soak to Reversed, each stored before the next. */
    static Map<String, BucketMoveStatus> statuses() {
        Map<String, BucketMoveStatus> life = new LinkedHashMap<>();
        life.put("01-reversible", soaking(Duration.ofMinutes(10)).status(reversible(), EIGHT));
        next(
                life,
                NINE,
                "02-reversing",
                soaking(Duration.ofMinutes(20)).intent(Intent.REVERSE),
                act(MovePhase.REVERSING, MoveStep.TURN_BACK, "reversal was asked for"));
        next(
                life,
                NINE,
                "03-switching-the-second-bucket-back",
                back(3),
                act(MovePhase.SWITCHING, MoveStep.SWITCH, "all gates are open and fresh"));
        next(
                life,
                NINE,
                "04-paused-with-one-bucket-back",
                back(3).intent(Intent.PAUSE),
                awaiting(MovePhase.PAUSED, "paused on request", "another intent"));
        next(
                life,
                NINE,
                "05-cleaning-up-the-target",
                back(3, 17).folded(),
                act(
                        MovePhase.CLEANING_UP,
                        MoveStep.CLEAN_UP,
                        "every live router has routed by the new bucket map for 60 s"));
        next(
                life,
                NINE,
                "06-taken-back",
                back(3, 17).folded(),
                new Done(MovePhase.SUCCEEDED, "ds-0 owns buckets [3, 17]"));
        next(
                life,
                NINE,
                "07-reversed",
                returned().intent(Intent.REVERSE),
                new Done(MovePhase.REVERSED, "ds-0 owns buckets [3, 17] again"));
        return life;
    }

    /** The way there, once all has gone back. */
    static MoveSight returned() {
        return new MoveSight()
                .rows(FenceState.OWNED, FenceState.MOVED)
                .report(Stage.CLEANED_UP, Progress.NONE, List.of(), Optional.empty());
    }

    static MoveSight lost(BucketMoveStatus before) {
        return verified(3, 17)
                .wayBackLost(LOST)
                .foldedFor(Duration.ofMinutes(20))
                .after(before);
    }
}
