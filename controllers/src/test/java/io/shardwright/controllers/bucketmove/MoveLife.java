package io.shardwright.controllers.bucketmove;

import static io.shardwright.controllers.bucketmove.MoveSight.EIGHT;
import static io.shardwright.controllers.bucketmove.MoveSight.HELD;
import static io.shardwright.controllers.bucketmove.MoveSight.act;
import static io.shardwright.controllers.bucketmove.MoveSight.awaiting;
import static io.shardwright.controllers.bucketmove.MoveSight.verified;

import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.planning.moves.MoveDecision;
import io.shardwright.planning.moves.MoveDecision.Blocker;
import io.shardwright.planning.moves.MoveDecision.Done;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.planning.moves.MoveStep;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Statuses that follow each other, each stored before the next. */
final class MoveLife {
    static final Blocker ROUTER =
            new Blocker("Router", "orders-web-7 (web)", "silent: delete the pod or wait until it answers");

    private MoveLife() {}

    /** From Pending to Succeeded. */
    static Map<String, BucketMoveStatus> ofAMove() {
        Map<String, BucketMoveStatus> life = new LinkedHashMap<>();
        life.put(
                "01-pending-behind-another-move",
                new MoveSight()
                        .status(
                                awaiting(
                                        MovePhase.PENDING,
                                        "waits for BucketMove orders-4",
                                        "the end of what is named in blockedBy",
                                        new Blocker("BucketMove", "orders-4", "moves between the same two shards")),
                                EIGHT));
        next(
                life,
                EIGHT,
                "02-validating",
                new MoveSight(),
                act(MovePhase.VALIDATING, MoveStep.VALIDATE, "first look at both shards"));
        next(
                life,
                EIGHT,
                "03-copying-with-progress",
                new MoveSight()
                        .rows(FenceState.OWNED, FenceState.IMPORTING)
                        .report(
                                Stage.COPYING,
                                new Progress(1200, 3000, 52_000_000, 4096)
                                        .throttle(
                                                Optional.of("shard ds-4: standby ds-4-b is more than 5 s behind"),
                                                Optional.empty()),
                                List.of(),
                                Optional.empty()),
                awaiting(MovePhase.COPYING, "rows are being copied", "the last chunk"));
        next(
                life,
                EIGHT,
                "04-ready-announced-and-patient",
                verified().announced().heldSince(Duration.ofMillis(300)),
                awaiting(MovePhase.READY, "announced to the routers", "acknowledgements: " + HELD.story(), ROUTER));
        next(
                life,
                EIGHT,
                "05-ready-held-by-a-silent-router",
                verified().announced().heldSince(Duration.ofSeconds(40)),
                awaiting(MovePhase.READY, "announced to the routers", "acknowledgements: " + HELD.story(), ROUTER));
        switchAndAfter(life);
        return life;
    }

    private static void switchAndAfter(Map<String, BucketMoveStatus> life) {
        next(
                life,
                EIGHT,
                "06-switching-the-first-group",
                verified().announced(),
                act(MovePhase.SWITCHING, MoveStep.SWITCH, "all gates are open and fresh"));
        next(
                life,
                EIGHT,
                "07-blocked-by-a-changed-schema-after-one-of-two",
                new MoveSight()
                        .rows(FenceState.OWNED, FenceState.IMPORTING, 3)
                        .report(
                                Stage.IN_SYNC,
                                new Progress(3000, 3000, 0, 0),
                                List.of(MoveSight.switched(3)),
                                Optional.of(new Failure(
                                        Failure.Kind.SCHEMA_CHANGED,
                                        true,
                                        "orders has changed",
                                        "undo the ALTER TABLE"))),
                awaiting(MovePhase.BLOCKED, "orders has changed", "undo the ALTER TABLE"));
        next(
                life,
                EIGHT,
                "08-publishing-both",
                verified(3, 17).folded().heldSince(Duration.ZERO),
                act(MovePhase.PUBLISHING, MoveStep.FOLD, "all live routers route by it"));
        next(
                life,
                EIGHT,
                "09-cleaning-up-past-the-point-of-no-return",
                verified(3, 17).folded(),
                act(
                        MovePhase.CLEANING_UP,
                        MoveStep.CLEAN_UP,
                        "every live router has routed by the new bucket map for 60 s"));
        next(
                life,
                EIGHT,
                "10-succeeded",
                verified(3, 17).folded(),
                new Done(MovePhase.SUCCEEDED, "ds-4 owns buckets [3, 17]"));
    }

    /** Ten seconds after the one before. */
    static void next(
            Map<String, BucketMoveStatus> life, Instant begin, String name, MoveSight sight, MoveDecision decision) {
        BucketMoveStatus before = List.copyOf(life.values()).get(life.size() - 1);
        life.put(name, sight.after(before).status(decision, begin.plusSeconds(life.size() * 10L)));
    }
}
