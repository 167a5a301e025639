package io.shardwright.planning.leftovers;

import static io.shardwright.planning.leftovers.Left.BACK;
import static io.shardwright.planning.leftovers.Left.GONE;
import static io.shardwright.planning.leftovers.Left.OTHER;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.leftovers.SweepPlan.Sweep;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.FenceState;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Leftovers at random: a move and its reversal that died anywhere, with any part of its traces, beside another move. Whatever is
 * swept, no object of a live move goes, none without its record, and none that an owner could still depend on; and what can go,
 * goes. Each check that is left out must break one of these.
 */
class SweepHistoryTest {
    private static final int SEEDS = 20_000;

    /** Databases of three shards after somebody has died. */
    private static final class World {
        private final Random random;
        private final SortedMap<String, Map<Integer, FenceRow>> fences = new TreeMap<>();
        private final List<Trace> traces = new ArrayList<>();
        private final List<UUID> live = new ArrayList<>();

        World(long seed) {
            random = new Random(seed);
            Stream.of("S", "T", "U").forEach(shard -> fences.put(shard, new TreeMap<>()));
            IntStream.of(1, 2).forEach(this::pair);
            trace("S", GONE, true);
            trace("T", GONE, false);
            trace("T", BACK, true);
            trace("S", BACK, false);
            if (random.nextInt(5) == 0) {
                live.add(GONE);
            }
            live.add(OTHER);
        }

        private void pair(int bucket) {
            switch (random.nextInt(14)) {
                case 0 -> row("S", bucket, FenceState.OWNED, 4, null);
                case 1, 2 -> both(bucket, FenceState.OWNED, 4, null, FenceState.IMPORTING, 4, GONE);
                case 3 -> both(bucket, FenceState.OWNED, 6, GONE, FenceState.ABORTED, 4, GONE);
                case 4 -> both(bucket, FenceState.MOVED, 5, GONE, FenceState.IMPORTING, 4, GONE);
                case 5 -> both(bucket, FenceState.MOVED, 5, GONE, FenceState.ABORTED, 4, GONE);
                case 6, 7 -> both(bucket, FenceState.MOVED, 5, GONE, FenceState.OWNED, 5, GONE);
                case 8 -> both(bucket, FenceState.IMPORTING, 5, BACK, FenceState.OWNED, 5, GONE);
                case 9 -> both(bucket, FenceState.ABORTED, 5, BACK, FenceState.OWNED, 7, BACK);
                case 10 -> both(bucket, FenceState.IMPORTING, 5, BACK, FenceState.MOVED, 6, BACK);
                case 11 -> both(bucket, FenceState.OWNED, 6, BACK, FenceState.MOVED, 6, BACK);
                case 12 -> both(bucket, FenceState.OWNED, 3, null, FenceState.IMPORTING, 4, GONE);
                default -> {
                    both(bucket, FenceState.MOVED, 5, GONE, FenceState.MOVED, 6, OTHER);
                    row("U", bucket, random.nextBoolean() ? FenceState.OWNED : FenceState.IMPORTING, 6, OTHER);
                }
            }
        }

        private void both(
                int bucket, FenceState here, long epoch, UUID by, FenceState there, long itsEpoch, UUID byWhom) {
            row("S", bucket, here, epoch, by);
            row("T", bucket, there, itsEpoch, byWhom);
        }

        private void row(String shard, int bucket, FenceState state, long epoch, UUID move) {
            fences.get(shard).put(bucket, new FenceRow(bucket, state, epoch, null, move));
        }

        private void trace(String shard, UUID move, boolean source) {
            boolean ends = random.nextInt(4) > 0;
            boolean slot = source && random.nextInt(3) > 0;
            TreeSet<Integer> rows = new TreeSet<>();
            IntStream.of(1, 2).filter(bucket -> random.nextInt(5) > 0).forEach(rows::add);
            if (move.equals(BACK) && !source) {
                rows.clear();
            }
            if (random.nextInt(4) > 0 && (ends || slot || !rows.isEmpty())) {
                traces.add(new Trace(
                        shard,
                        move,
                        source && ends,
                        !source && ends,
                        random.nextBoolean(),
                        slot ? Optional.of(new Trace.Slot(Left.slot(move), random.nextInt(8) == 0)) : Optional.empty(),
                        rows,
                        random.nextInt(20) == 0 ? new TreeSet<>(List.of(1)) : new TreeSet<>(),
                        random.nextInt(20) == 0 ? List.of("other") : List.of(),
                        "token"));
            }
        }

        LeftoverSight seen() {
            return new LeftoverSight(fences, traces, new TreeMap<>(), new java.util.HashSet<>(live), Left::reversal);
        }

        private boolean orphan(int bucket) {
            List<Map.Entry<String, FenceRow>> rows = fences.entrySet().stream()
                    .filter(shard -> shard.getValue().containsKey(bucket))
                    .map(shard -> Map.entry(shard.getKey(), shard.getValue().get(bucket)))
                    .toList();
            return rows.stream().noneMatch(row -> row.getValue().state() == FenceState.OWNED)
                    && rows.stream()
                            .noneMatch(row -> OTHER.equals(row.getValue().moveId()));
        }

        /** Why nothing of the move may be swept. */
        private Optional<String> untouchable() {
            if (live.contains(GONE)) {
                return Optional.of("the move lives");
            }
            if (IntStream.of(1, 2).anyMatch(this::orphan)) {
                return Optional.of("a bucket has no owner but by these traces");
            }
            if (traces.stream()
                    .anyMatch(one -> one.slot().filter(Trace.Slot::active).isPresent())) {
                return Optional.of("somebody reads a slot of the move");
            }
            if (traces.stream().anyMatch(one -> !one.demoted().isEmpty())) {
                return Optional.of("nobody has compared the rows of an older owner");
            }
            if (traces.stream().anyMatch(one -> !one.unknown().isEmpty())) {
                return Optional.of("nobody knows all of it");
            }
            return Optional.empty();
        }

        /** Why this must not have been swept; empty when it may. */
        Optional<String> wrong(Sweep sweep) {
            Trace trace = sweep.trace();
            UUID id = trace.move();
            Optional<String> untouchable = untouchable();
            if (untouchable.isPresent()) {
                return untouchable;
            }
            for (SweepPlan.Swap swap : sweep.undone()) {
                int bucket = swap.from().bucket();
                if (traces.stream().anyMatch(one -> one.move().equals(id) && one.isSource())) {
                    return Optional.of("the owner can still be fenced");
                }
                if (id.equals(GONE) && !trace.rows().contains(bucket)) {
                    return Optional.of("bucket " + bucket + " without a record");
                }
                if (owner(bucket).epoch() < swap.from().epoch()) {
                    return Optional.of("the owner is older than what was filled");
                }
                if (swap.to().epoch() < swap.from().epoch()) {
                    return Optional.of("an epoch goes back");
                }
            }
            for (int bucket : sweep.emptied()) {
                boolean aborted = after(sweep, bucket).state() == FenceState.ABORTED
                        && after(sweep, bucket).moveId().equals(id);
                if (!aborted || !trace.rows().contains(bucket)) {
                    return Optional.of("rows of bucket " + bucket + " are deleted");
                }
            }
            for (int bucket : trace.rows()) {
                FenceRow row = after(sweep, bucket);
                boolean behind = row != null
                        && id.equals(row.moveId())
                        && (row.state() == FenceState.MOVED || row.state() == FenceState.IMPORTING);
                if (behind && !sweep.kept().contains(bucket)) {
                    return Optional.of("the record of rows that are left goes");
                }
            }
            return Optional.empty();
        }

        private FenceRow owner(int bucket) {
            return fences.values().stream()
                    .map(rows -> rows.get(bucket))
                    .filter(row -> row != null && row.state() == FenceState.OWNED)
                    .findFirst()
                    .orElseThrow();
        }

        private FenceRow after(Sweep sweep, int bucket) {
            return sweep.undone().stream()
                    .map(SweepPlan.Swap::to)
                    .filter(row -> row.bucket() == bucket)
                    .findFirst()
                    .orElse(fences.get(sweep.trace().shard()).get(bucket));
        }

        void done(Sweep sweep) {
            Trace trace = sweep.trace();
            sweep.undone()
                    .forEach(swap -> fences.get(trace.shard()).put(swap.to().bucket(), swap.to()));
            traces.remove(trace);
            if (!sweep.kept().isEmpty()) {
                traces.add(new Trace(
                        trace.shard(),
                        trace.move(),
                        false,
                        false,
                        false,
                        Optional.empty(),
                        sweep.kept(),
                        new TreeSet<>(),
                        List.of(),
                        "swept"));
            }
        }
    }

    /** Looks and sweeps until nothing more is due. @return what went wrong */
    private static Optional<String> history(long seed, List<Function<Family, List<Finding>>> checks) {
        World world = new World(seed);
        Sightings sightings = Sightings.NONE;
        SweepPlan plan;
        int looks = 0;
        do {
            plan = SweepPlanner.plan(world.seen(), sightings, looks * Left.MINUTE, checks);
            sightings = plan.sightings();
            for (Sweep sweep : plan.due()) {
                if (looks == 0) {
                    return Optional.of("seed " + seed + ": swept at first sight");
                }
                Optional<String> wrong = world.wrong(sweep);
                if (wrong.isPresent()) {
                    return Optional.of("seed " + seed + ": " + wrong.get() + " " + sweep);
                }
                world.done(sweep);
            }
            looks++;
        } while (looks < 12);
        boolean over = plan.due().isEmpty()
                && (world.live.contains(GONE)
                        || !plan.findings().isEmpty()
                        || busy(world)
                        || Family.of(world.seen()).stream()
                                .allMatch(family -> family.open().isEmpty()));
        return over ? Optional.empty() : Optional.of("seed " + seed + ": not over: " + world.traces);
    }

    private static boolean busy(World world) {
        return world.fences.get("U").values().stream().anyMatch(row -> row.state() == FenceState.IMPORTING);
    }

    @Test
    void nothingGoesThatMustStayAndWhatCanGoGoes() {
        for (long seed = 0; seed < SEEDS; seed++) {
            assertThat(history(seed, SweepChecks.ALL)).isEmpty();
        }
    }

    static IntStream checks() {
        return IntStream.range(0, SweepChecks.ALL.size());
    }

    @ParameterizedTest(name = "without check {0}")
    @MethodSource("checks")
    void eachCheckIsNeeded(int left) {
        List<Function<Family, List<Finding>>> rest = new ArrayList<>(SweepChecks.ALL);
        rest.remove(left);

        assertThat(IntStream.range(0, SEEDS)
                        .mapToObj(seed -> guarded(seed, rest))
                        .flatMap(Optional::stream)
                        .findFirst())
                .isPresent();
    }

    /** Without its check a tombstone may have no owner to lead to. */
    private static Optional<String> guarded(long seed, List<Function<Family, List<Finding>>> checks) {
        try {
            return history(seed, checks);
        } catch (java.util.NoSuchElementException e) {
            return Optional.of("seed " + seed + ": no owner");
        }
    }
}
