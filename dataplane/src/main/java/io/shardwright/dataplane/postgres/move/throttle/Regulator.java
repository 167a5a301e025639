package io.shardwright.dataplane.postgres.move.throttle;

import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.Throttling;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.probe.Space;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * Decides from what was seen whether work may go on, and how fast. Unknown means stop, and so does what is old. The rate of the
 * copy grows by a fixed step while all is well, and is halved when somebody falls behind or commits on the target are slow. Pure:
 * all times are given; not thread-safe.
 */
final class Regulator {
    enum End {
        SOURCE,
        TARGET
    }

    /** So many intervals after it was asked for, what a shard said is unknown. */
    private static final int OLD = 3;

    /** Commits of the application on the target wait as long: a third of the usual budget of a hold. */
    private static final double SLOW_COMMIT_MS = 100;

    private static final int COMMITS = 5;

    private static final int STEPS = 20;

    /** Slower than this share of the most is standing still. */
    private static final int SLOWEST = 64;

    private static final int WARN_PERCENT = 50;
    private static final int ABORT_PERCENT = 80;

    private final Throttling throttling;
    private final Map<End, Watched> watched = new EnumMap<>(End.class);
    private final Deque<Double> commits = new ArrayDeque<>();
    private double rate;

    /** What is known of one shard. */
    private static final class Watched {
        private final ShardAccess shard;
        private final StandbyWatch standbys;
        private ShardReading newest;
        private Optional<String> behind = Optional.empty();
        private Optional<String> failure = Optional.empty();

        Watched(ShardAccess shard, Throttling throttling) {
            this.shard = shard;
            standbys = new StandbyWatch(shard.instances().size() - 1, throttling);
        }
    }

    Regulator(MoveTask task) {
        throttling = task.limits().throttling();
        watched.put(End.SOURCE, new Watched(task.source(), throttling));
        watched.put(End.TARGET, new Watched(task.target(), throttling));
        rate = throttling.maxBytesPerSecond();
    }

    /** Nobody looks any more: all is unknown until somebody looks again. Who was behind, and for how long, stays known. */
    void forget() {
        watched.values().forEach(one -> {
            one.newest = null;
            one.failure = Optional.empty();
        });
        commits.clear();
    }

    void note(End end, ShardReading reading) {
        Watched one = watched.get(end);
        boolean went = one.behind.isEmpty();
        one.newest = reading;
        one.failure = Optional.empty();
        one.behind = one.standbys.note(reading);
        if (went && one.behind.isPresent()) {
            halve();
        }
        reading.commitMs().ifPresent(this::noteCommit);
    }

    /** It could not be asked, so what is known grows old. */
    void failed(End end, String message) {
        watched.get(end).failure = Optional.of(message);
    }

    private void noteCommit(double ms) {
        commits.addLast(ms);
        if (commits.size() > COMMITS) {
            commits.removeFirst();
        }
        if (commitMs() > SLOW_COMMIT_MS) {
            halve();
        } else if (watched.values().stream().allMatch(one -> one.behind.isEmpty())) {
            rate = Math.min(throttling.maxBytesPerSecond(), rate + (double) throttling.maxBytesPerSecond() / STEPS);
        }
    }

    /** The median: one slow commit is no slow disk. */
    private double commitMs() {
        return commits.isEmpty()
                ? 0
                : commits.stream()
                        .sorted()
                        .skip((commits.size() - 1) / 2)
                        .findFirst()
                        .orElseThrow();
    }

    private void halve() {
        rate = Math.max((double) throttling.maxBytesPerSecond() / SLOWEST, rate / 2);
    }

    double bytesPerSecond() {
        return rate;
    }

    /** Both shards have been asked, whatever they have said since. */
    boolean hasAsked() {
        return watched.values().stream().allMatch(one -> one.newest != null);
    }

    /** Why nothing may begin now; empty = it may. */
    Optional<String> stopped(long now) {
        List<String> reasons = new ArrayList<>();
        for (Watched one : watched.values()) {
            unknown(one, now)
                    .or(() -> one.behind)
                    .or(() -> full(one))
                    .ifPresent(reason -> reasons.add("shard " + one.shard.shard() + ": " + reason));
        }
        return reasons.isEmpty() ? Optional.empty() : Optional.of(String.join("; ", reasons));
    }

    private Optional<String> unknown(Watched one, long now) {
        if (one.newest == null) {
            return Optional.of(one.failure.orElse("it has not been asked yet how it is"));
        }
        long age = now - one.newest.began();
        long old = OLD * throttling.interval().toNanos();
        return age <= old
                ? Optional.empty()
                : Optional.of("for more than " + Math.max(1, TimeUnit.NANOSECONDS.toSeconds(old))
                        + " s nobody knows how it is"
                        + one.failure.map(why -> " (" + why + ")").orElse(""));
    }

    private static Optional<String> full(Watched one) {
        OptionalLong capacity = one.shard.capacityBytes();
        return one.newest
                .space()
                .filter(space -> capacity.isPresent() && space.bytes() + space.reserve() > capacity.getAsLong())
                .map(space -> "it holds %s and needs %s for its log, its capacity is %s"
                        .formatted(
                                Space.text(space.bytes()),
                                Space.text(space.reserve()),
                                Space.text(capacity.getAsLong())));
    }

    /** What makes the copy slow, or will end the move when it goes on so. */
    Optional<String> warning() {
        Optional<String> slot = slot(WARN_PERCENT);
        return slot.isPresent() || commitMs() <= SLOW_COMMIT_MS
                ? slot
                : Optional.of("shard " + watched.get(End.TARGET).shard.shard() + ": a commit takes more than "
                        + Math.round(SLOW_COMMIT_MS) + " ms, so the copy is slowed down");
    }

    /** The move has to be given up, because the log that it keeps would fill the source's disk. */
    Optional<MoverFault> overflow() {
        return slot(ABORT_PERCENT)
                .map(seen -> new MoverFault(
                        Failure.Kind.POSITION_LOST,
                        false,
                        seen,
                        "nothing: the move is given up, and its slot is dropped; before another one look why the stream was"
                                + " slow, or raise max_slot_wal_keep_size",
                        null));
    }

    private Optional<String> slot(int percent) {
        Watched source = watched.get(End.SOURCE);
        return Optional.ofNullable(source.newest)
                .flatMap(ShardReading::slot)
                .filter(slot -> slot.retained() * 100 >= limit(slot) * percent)
                .map(slot -> "shard %s: the slot of this move keeps more than %d %% of the log that it may keep (%s)"
                        .formatted(source.shard.shard(), percent, Space.text(limit(slot))));
    }

    private long limit(ShardReading.Slot slot) {
        return slot.limit().orElse(throttling.slotCapBytes());
    }
}
