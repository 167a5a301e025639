package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/** Two simulated databases with the fence rows and rows of one move, which has a way there and a way back. */
final class MoveWorld {
    static final UUID MOVE = new UUID(7, 7);
    static final UUID REVERSAL = new UUID(8, 8);
    static final String SOURCE = "ds-0";
    static final String TARGET = "ds-4";

    final SplittableRandom random;
    final SortedMap<Scope, FenceRow> source = new TreeMap<>();
    final SortedMap<Scope, FenceRow> target = new TreeMap<>();
    final SortedSet<Scope> rowsOnSource = new TreeSet<>();
    final SortedSet<Scope> rowsOnTarget = new TreeSet<>();
    final SimulatedLeg there;
    final SimulatedLeg back;
    /** buckets that had two owners, with the one that was closed, while nobody has looked at its rows */
    final SortedMap<Scope, String> demoted = new TreeMap<>();
    /** buckets that a failover has given a second owner */
    final SortedSet<Scope> lostFences = new TreeSet<>();

    /** buckets that were activated while their source took no writes */
    final SortedSet<Scope> resynced = new TreeSet<>();

    boolean sourceReadable = true;
    boolean targetReadable = true;
    /** the source refuses every write while it is false, and can be read */
    boolean sourceTakesWrites = true;

    /** a byte on the target is wrong since the first verification, and nobody has found it */
    boolean flipped;
    /** somebody has written on the target past the fence since it was copied, and the stream back has brought it */
    boolean written;
    /** the faults have ended: from here on everything must come to an end */
    boolean calm;

    MoveWorld(long seed, SortedSet<Scope> scopes) {
        random = new SplittableRandom(seed);
        there = new SimulatedLeg(this, Leg.THERE, source, target, rowsOnSource, rowsOnTarget);
        back = new SimulatedLeg(this, Leg.BACK, target, source, rowsOnTarget, rowsOnSource);
        for (Scope scope : scopes) {
            source.put(scope, new FenceRow(scope, FenceState.OWNED, 1 + random.nextInt(3), null, null));
            rowsOnSource.add(scope);
            if (random.nextInt(4) == 0) {
                target.put(scope, new FenceRow(scope, FenceState.ABORTED, 1, null, new UUID(1, 1)));
            }
        }
    }

    boolean chance(int percent) {
        return !calm && random.nextInt(100) < percent;
    }

    boolean readable() {
        return sourceReadable && targetReadable;
    }

    static boolean owns(SortedMap<Scope, FenceRow> side, Scope scope) {
        return side.containsKey(scope) && side.get(scope).state() == FenceState.OWNED;
    }
}
