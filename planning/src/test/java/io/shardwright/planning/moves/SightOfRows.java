package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;

/** The part of a {@link Sight} that the databases tell: the fence rows of both shards, ds-0 and ds-4, and how old they are. */
abstract class SightOfRows {
    static final UUID MOVE = new UUID(1, 1);
    static final UUID REVERSAL = new UUID(3, 3);
    private static final UUID OTHER = new UUID(2, 2);

    private final SortedMap<Scope, FenceRow> source = new TreeMap<>();
    private final SortedMap<Scope, FenceRow> target = new TreeMap<>();
    private boolean readable = true;
    private boolean resumable = true;
    private Duration truthAge = Duration.ZERO;
    private final SortedMap<Scope, String> demoted = new TreeMap<>();

    abstract Sight self();

    Sight pair(int bucket, FenceState from, long fromEpoch, FenceState to, long toEpoch) {
        UUID sourceMove = from == FenceState.OWNED && fromEpoch == 7 ? OTHER : MOVE;
        source.put(Scope.bucket(bucket), new FenceRow(bucket, from, fromEpoch, null, sourceMove));
        target.put(Scope.bucket(bucket), new FenceRow(bucket, to, toEpoch, null, MOVE));
        return self();
    }

    private Sight rows(int bucket, FenceRow onSource, FenceRow onTarget) {
        source.put(Scope.bucket(bucket), onSource);
        target.put(Scope.bucket(bucket), onTarget);
        return self();
    }

    private static FenceRow row(int bucket, FenceState state, long epoch, UUID move) {
        return new FenceRow(bucket, state, epoch, null, move);
    }

    /** The way back has begun, and the target still owns it. */
    Sight reversing(int bucket) {
        return rows(bucket, row(bucket, FenceState.IMPORTING, 8, REVERSAL), row(bucket, FenceState.OWNED, 8, MOVE));
    }

    Sight fencedBack(int bucket) {
        return rows(bucket, row(bucket, FenceState.IMPORTING, 8, REVERSAL), row(bucket, FenceState.MOVED, 9, REVERSAL));
    }

    Sight takenBack(int bucket) {
        return rows(bucket, row(bucket, FenceState.OWNED, 9, REVERSAL), row(bucket, FenceState.MOVED, 9, REVERSAL));
    }

    /** The way back was decided against and the tombstone is not in its place again. */
    Sight givenUp(int bucket) {
        return rows(bucket, row(bucket, FenceState.ABORTED, 8, REVERSAL), row(bucket, FenceState.OWNED, 10, REVERSAL));
    }

    Sight kept(int bucket) {
        return rows(bucket, row(bucket, FenceState.MOVED, 10, MOVE), row(bucket, FenceState.OWNED, 10, REVERSAL));
    }

    Sight fenced(int bucket) {
        return pair(bucket, FenceState.MOVED, 8, FenceState.IMPORTING, 7);
    }

    Sight activated(int bucket) {
        return pair(bucket, FenceState.MOVED, 8, FenceState.OWNED, 8);
    }

    Sight aborted(int bucket) {
        return pair(bucket, FenceState.OWNED, 9, FenceState.ABORTED, 7);
    }

    Sight targetLost(int bucket) {
        source.put(Scope.bucket(bucket), new FenceRow(bucket, FenceState.MOVED, 8, null, MOVE));
        target.remove(Scope.bucket(bucket));
        return self();
    }

    /** Both owned it; the shard was the older owner, and nobody has looked at its rows. */
    Sight demoted(int bucket, String shard) {
        demoted.put(Scope.bucket(bucket), shard);
        return self();
    }

    Sight ownedBySourceAlone(int bucket) {
        source.put(Scope.bucket(bucket), new FenceRow(bucket, FenceState.OWNED, 7, "ds-0", OTHER));
        target.remove(Scope.bucket(bucket));
        return self();
    }

    Sight notOwner(int bucket) {
        source.put(Scope.bucket(bucket), new FenceRow(bucket, FenceState.MOVED, 9, "ds-2", OTHER));
        target.remove(Scope.bucket(bucket));
        return self();
    }

    Sight unreadable() {
        readable = false;
        return self();
    }

    final boolean isReadable() {
        return readable;
    }

    Sight notResumable() {
        resumable = false;
        return self();
    }

    Sight truthAge(int seconds) {
        truthAge = Duration.ofSeconds(seconds);
        return self();
    }

    /** As the mover of this leg reads them, its source first; empty when it cannot. */
    final Optional<Truth> truth(Leg leg) {
        boolean there = leg == Leg.THERE;
        return readable
                ? Optional.of(new Truth(there ? source : target, there ? target : source, resumable, truthAge, demoted))
                : Optional.empty();
    }
}
