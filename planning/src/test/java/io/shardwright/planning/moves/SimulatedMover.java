package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Gate;
import io.shardwright.planning.moves.MoveObservation.GateCause;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.MoveObservation.Truth;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** A mover whose commands are lists of small effects; it can stop, fail or freeze between any two of them. */
final class SimulatedMover {
    private final MoveWorld world;
    private final SimulatedLeg leg;
    private final SortedSet<Integer> buckets;
    private final Deque<Runnable> rest = new ArrayDeque<>();
    private Stage stage = Stage.NONE;
    private Optional<MoveStep> running = Optional.empty();
    private Optional<Truth> truth = Optional.empty();
    private Optional<MoveFault> fault = Optional.empty();
    private Optional<MoveFault> retried = Optional.empty();
    private final Map<MoveStep, Integer> failures = new EnumMap<>(MoveStep.class);
    private MoveStep failed = MoveStep.OBSERVE;
    private Stage stageAtBegin = Stage.NONE;
    private Optional<Gate> gate = Optional.empty();
    private long faultAt;
    private long gateAt;
    private long truthAt;
    private int token;
    int failedDrains;
    long lastDrainAt;
    long now;

    SimulatedMover(MoveWorld world, SimulatedLeg leg, SortedSet<Integer> buckets) {
        this.world = world;
        this.leg = leg;
        this.buckets = buckets;
    }

    MoverView view() {
        return new MoverView(
                stage,
                running,
                gate.map(seen -> new Gate(
                        seen.open(),
                        seen.reason(),
                        Duration.ofMillis(now - gateAt),
                        Duration.ZERO,
                        seen.cause(),
                        List.of())),
                fault.map(this::aged),
                retried.map(this::aged));
    }

    private MoveFault aged(MoveFault seen) {
        return new MoveFault(
                seen.kind(),
                seen.curable(),
                seen.message(),
                seen.nextAction(),
                Duration.ofMillis(now - faultAt),
                failures.get(failed));
    }

    Optional<Truth> truth() {
        return truth.map(
                seen -> new Truth(seen.source(), seen.target(), seen.resumable(), Duration.ofMillis(now - truthAt)));
    }

    /** The other leg has been at work since. */
    void forgetTruth() {
        truth = Optional.empty();
    }

    void begin(MoveStep step, SortedSet<Integer> group) {
        if (running.isPresent()) {
            return;
        }
        running = Optional.of(step);
        retried = fault.or(() -> retried);
        stageAtBegin = stage;
        fault = Optional.empty();
        switch (step) {
            case OBSERVE -> {}
            case VALIDATE -> then(() -> stage = Stage.VALIDATED);
            case PREPARE -> prepare();
            case VERIFY -> {
                if (stage == Stage.FOLLOWING || stage == Stage.COMPARED) {
                    compare();
                } else {
                    verify();
                }
            }
            case FOLLOW -> follow();
            case RETIRE -> then(() -> stage = Stage.RETIRED);
            case GATE -> then(() -> measure(!world.chance(20)));
            case SWITCH -> switchGroup(group);
            case ABORT -> abort();
            case CLEAN_UP -> cleanUp();
            default -> throw new IllegalArgumentException("no step of a mover: " + step);
        }
    }

    /** One effect, or the end of the command. */
    void tick() {
        if (running.isEmpty()) {
            return;
        }
        if (world.chance(4) && running.get() != MoveStep.OBSERVE) {
            fail(randomFault(running.get()));
        } else if (!rest.isEmpty()) {
            rest.remove().run();
            retried = retried.filter(seen -> stage == stageAtBegin || stage == Stage.COPYING);
        } else {
            end();
        }
    }

    private void then(Runnable effect) {
        rest.add(effect);
    }

    private void end() {
        rest.clear();
        running.filter(step -> fault.isEmpty()).ifPresent(failures::remove);
        retried = Optional.empty();
        running = Optional.empty();
        truth = leg.read();
        truthAt = now;
        if (truth.isEmpty() && fault.isEmpty()) {
            raise(new MoveFault(MoveFault.Kind.UNREACHABLE, true, "a shard does not answer", "wait", Duration.ZERO, 1));
        }
    }

    private void fail(MoveFault why) {
        raise(why);
        end();
    }

    private void raise(MoveFault why) {
        fault = Optional.of(why);
        faultAt = now;
        failed = running.orElse(MoveStep.PREPARE);
        failures.merge(failed, 1, Integer::sum);
    }

    private MoveFault randomFault(MoveStep step) {
        if (step == MoveStep.FOLLOW || step == MoveStep.RETIRE || stage == Stage.FOLLOWING) {
            return new MoveFault(MoveFault.Kind.OTHER, true, "simulated fault of " + step, "wait", Duration.ZERO, 1);
        }
        MoveFault.Kind kind = MoveFault.Kind.values()[world.random.nextInt(MoveFault.Kind.values().length)];
        if (kind == MoveFault.Kind.DECIDED_AGAINST) {
            leg.abortTarget(buckets);
        }
        if (kind == MoveFault.Kind.POSITION_LOST || kind == MoveFault.Kind.DIVERGED) {
            leg.copied = false;
        }
        boolean curable = world.random.nextInt(40) > 0 || step == MoveStep.ABORT || step == MoveStep.CLEAN_UP;
        return new MoveFault(kind, curable, "simulated " + kind, "wait", Duration.ZERO, 1);
    }

    private void prepare() {
        token = leg.newToken();
        if (leg.leg == Leg.BACK) {
            then(() -> {
                if (leg.copied) {
                    leg.importing(buckets, token);
                } else {
                    lost();
                }
            });
        } else if (!leg.copied) {
            then(() -> leg.importing(buckets, token));
            then(() -> stage = Stage.COPYING);
            then(() -> leg.copy(buckets, token));
        }
        then(() -> stage = Stage.CATCHING_UP);
        then(() -> stage = Stage.IN_SYNC);
    }

    private void lost() {
        fail(new MoveFault(
                MoveFault.Kind.POSITION_LOST, false, "the way back is lost", "a new move", Duration.ZERO, 1));
    }

    private void follow() {
        token = leg.newToken();
        then(() -> {
            if (leg.follow(token)) {
                stage = stage == Stage.COMPARED ? stage : Stage.FOLLOWING;
            } else {
                lost();
            }
        });
    }

    private void compare() {
        then(() -> {
            if (world.flipped) {
                fail(new MoveFault(MoveFault.Kind.DIVERGED, true, "a row differs", "look at it", Duration.ZERO, 1));
            } else {
                stage = Stage.COMPARED;
            }
        });
    }

    private void verify() {
        then(() -> {
            if (world.chance(5) || !leg.copied) {
                leg.copied = false;
                fail(new MoveFault(MoveFault.Kind.DIVERGED, true, "3 rows differ", "look at them", Duration.ZERO, 1));
            } else {
                stage = Stage.VERIFIED;
            }
        });
    }

    private void measure(boolean open) {
        gate = Optional.of(
                open
                        ? Gate.open(Duration.ZERO)
                        : new Gate(
                                false,
                                "the lag is above the gate",
                                Duration.ZERO,
                                Duration.ZERO,
                                GateCause.BEHIND,
                                List.of()));
        gateAt = now;
    }

    private void switchGroup(SortedSet<Integer> group) {
        gate = Optional.empty();
        boolean resumes =
                leg.read().isPresent() && group.stream().noneMatch(bucket -> MoveWorld.owns(leg.from, bucket));
        if (resumes) {
            token = leg.newToken();
        } else {
            then(() -> drain(group));
        }
        then(() -> {
            measure(true); // a switch measures for itself
            if (!leg.activate(group, token)) {
                leg.abortTarget(group);
                fail(new MoveFault(
                        MoveFault.Kind.DECIDED_AGAINST, true, "not activated", "the abort", Duration.ZERO, 1));
            }
        });
    }

    private void drain(SortedSet<Integer> group) {
        boolean gap = !world.chance(30);
        if (gap && leg.fence(group, token)) {
            failedDrains = 0;
        } else if (gap) {
            fail(new MoveFault(
                    MoveFault.Kind.SUPERSEDED, true, "the claim is another mover's", "wait", Duration.ZERO, 1));
        } else {
            failedDrains++;
            lastDrainAt = now;
            end();
        }
    }

    private void abort() {
        SortedSet<Integer> all = new TreeSet<>(buckets);
        then(() -> leg.abortTarget(all));
        then(() -> leg.reclaimSource(all));
        then(() -> leg.cleanTarget(all));
        then(() -> {
            leg.copied = false;
            stage = Stage.ABORTED;
        });
    }

    private void cleanUp() {
        for (int bucket : buckets) {
            then(() -> leg.cleanSource(bucket));
        }
        then(() -> {
            leg.copied = false;
            stage = Stage.CLEANED_UP;
        });
    }
}
