package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.time.Duration;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Two simulated databases with the fence rows of one move, and what may happen to them. Every change is a compare-and-swap
 * as in the protocol, so whoever comes late changes nothing.
 */
final class MoveWorld {
    static final UUID MOVE = new UUID(7, 7);
    static final String SOURCE = "ds-0";
    static final String TARGET = "ds-4";

    final SplittableRandom random;
    final SortedMap<Integer, FenceRow> source = new TreeMap<>();
    final SortedMap<Integer, FenceRow> target = new TreeMap<>();
    final SortedSet<Integer> rowsOnSource = new TreeSet<>();
    final SortedSet<Integer> rowsOnTarget = new TreeSet<>();
    boolean sourceReadable = true;
    boolean targetReadable = true;
    /** the progress row: who may write, and whether the copy is complete */
    int token;

    boolean copied;
    /** the faults have ended: from here on everything must come to an end */
    boolean calm;

    MoveWorld(long seed, SortedSet<Integer> buckets) {
        random = new SplittableRandom(seed);
        for (int bucket : buckets) {
            source.put(bucket, row(bucket, FenceState.OWNED, 1 + random.nextInt(3), null));
            rowsOnSource.add(bucket);
            if (random.nextInt(4) == 0) {
                target.put(bucket, row(bucket, FenceState.ABORTED, 1, new UUID(1, 1)));
            }
        }
    }

    boolean chance(int percent) {
        return !calm && random.nextInt(100) < percent;
    }

    Optional<Truth> read() {
        return sourceReadable && targetReadable
                ? Optional.of(new Truth(source, target, copied, Duration.ZERO))
                : Optional.empty();
    }

    int newToken() {
        return ++token;
    }

    void importing(SortedSet<Integer> buckets, int mine) {
        if (mine != token) {
            return;
        }
        copied = false;
        for (int bucket : buckets) {
            FenceRow from = source.get(bucket);
            FenceRow to = target.get(bucket);
            boolean free =
                    to == null || to.state() == FenceState.MOVED || (to.state() == FenceState.ABORTED && !ours(to));
            if (from.state() == FenceState.OWNED && free) {
                target.put(bucket, row(bucket, FenceState.IMPORTING, from.epoch(), MOVE));
            }
        }
    }

    void copy(SortedSet<Integer> buckets, int mine) {
        if (mine == token) {
            for (int bucket : buckets) {
                if (isImporting(bucket)) {
                    rowsOnTarget.add(bucket);
                }
            }
            copied = buckets.stream().allMatch(bucket -> !owns(source, bucket) || isImporting(bucket));
        }
    }

    /** 7c with the claim: one transaction for the group. */
    boolean fence(SortedSet<Integer> group, int mine) {
        boolean all = mine == token
                && group.stream()
                        .allMatch(bucket -> source.get(bucket).state() == FenceState.OWNED
                                && isImporting(bucket)
                                && source.get(bucket).epoch()
                                        == target.get(bucket).epoch());
        if (all) {
            group.forEach(bucket -> source.put(
                    bucket, row(bucket, FenceState.MOVED, source.get(bucket).epoch() + 1, MOVE)));
        }
        return all;
    }

    /** 7d: one transaction for the group. */
    boolean activate(SortedSet<Integer> group, int mine) {
        boolean all = mine == token
                && copied
                && group.stream()
                        .allMatch(bucket -> isImporting(bucket)
                                && source.get(bucket).state() == FenceState.MOVED
                                && ours(source.get(bucket)));
        if (all) {
            group.forEach(bucket -> target.put(
                    bucket, row(bucket, FenceState.OWNED, target.get(bucket).epoch() + 1, MOVE)));
        }
        return all;
    }

    void abortTarget(SortedSet<Integer> buckets) {
        for (int bucket : buckets) {
            FenceRow from = source.get(bucket);
            FenceRow to = target.get(bucket);
            boolean lost = (to == null || (!ours(to) && to.state() != FenceState.OWNED))
                    && from.state() == FenceState.MOVED
                    && ours(from);
            if (isImporting(bucket) || lost) {
                long epoch = lost ? from.epoch() - 1 : to.epoch();
                target.put(bucket, row(bucket, FenceState.ABORTED, epoch, MOVE));
            }
        }
    }

    void reclaimSource(SortedSet<Integer> buckets) {
        for (int bucket : buckets) {
            FenceRow from = source.get(bucket);
            FenceRow to = target.get(bucket);
            boolean decided = to != null && to.state() == FenceState.ABORTED && ours(to);
            boolean fenced = from.state() == FenceState.MOVED && ours(from);
            if (decided && (fenced || from.epoch() == to.epoch())) {
                source.put(bucket, row(bucket, FenceState.OWNED, to.epoch() + 2, MOVE));
            }
        }
    }

    void cleanTarget(SortedSet<Integer> buckets) {
        buckets.stream()
                .filter(bucket -> target.containsKey(bucket)
                        && target.get(bucket).state() == FenceState.ABORTED
                        && ours(target.get(bucket)))
                .forEach(rowsOnTarget::remove);
    }

    void cleanSource(int bucket) {
        FenceRow from = source.get(bucket);
        if (from.state() == FenceState.MOVED && ours(from)) {
            rowsOnSource.remove(bucket);
        }
    }

    /** A failover of T takes commits away that no step has relied on yet. */
    void targetLosesACommit(int bucket) {
        FenceRow to = target.get(bucket);
        if (to != null && ours(to) && to.state() == FenceState.OWNED) {
            target.put(bucket, row(bucket, FenceState.IMPORTING, to.epoch() - 1, MOVE));
        } else if (to != null && isImporting(bucket) && !copied) {
            target.remove(bucket);
            rowsOnTarget.remove(bucket); // what was copied came later in the same log
        }
    }

    boolean owns(SortedMap<Integer, FenceRow> side, int bucket) {
        return side.containsKey(bucket) && side.get(bucket).state() == FenceState.OWNED;
    }

    private boolean isImporting(int bucket) {
        FenceRow to = target.get(bucket);
        return to != null && to.state() == FenceState.IMPORTING && ours(to);
    }

    private static boolean ours(FenceRow row) {
        return MOVE.equals(row.moveId());
    }

    private static FenceRow row(int bucket, FenceState state, long epoch, UUID move) {
        return new FenceRow(bucket, state, epoch, null, move);
    }

    static boolean streaming(Stage stage) {
        return stage == Stage.IN_SYNC || stage == Stage.VERIFIED;
    }
}
