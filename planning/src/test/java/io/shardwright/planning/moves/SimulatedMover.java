package io.shardwright.planning.moves;

import io.shardwright.planning.moves.MoveObservation.Gate;
import io.shardwright.planning.moves.MoveObservation.GateCause;
import io.shardwright.planning.moves.MoveObservation.Leg;
import io.shardwright.planning.moves.MoveObservation.MoverView;
import io.shardwright.planning.moves.MoveObservation.Stage;
import io.shardwright.planning.moves.MoveObservation.Truth;
import io.shardwright.routing.FenceRow;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Stream;

/** A mover whose commands are lists of small effects; it can stop, fail or freeze between any two of them. */
final class SimulatedMover {
    /** What any step may end with. */
    private static final List<MoveFault.Kind> ANY = Stream.of(MoveFault.Kind.values())
            .filter(kind -> kind != MoveFault.Kind.TWO_OWNERS && kind != MoveFault.Kind.RECLAIMED)
            .toList();

    private static final MoveFault UNREADABLE = curable(MoveFault.Kind.UNREACHABLE, "a shard does not answer", "wait");

    private final MoveWorld world;
    private final SimulatedLeg leg;
    private final SortedSet<Scope> scopes;
    private final Deque<Runnable> rest = new ArrayDeque<>();
    private Stage stage = Stage.NONE;
    private Optional<MoveStep> running = Optional.empty();
    private Optional<Truth> truth = Optional.empty();
    private final SimulatedEnds ends = new SimulatedEnds();
    private Stage stageAtBegin = Stage.NONE;
    private Optional<Gate> gate = Optional.empty();
    private long gateAt;
    private long comparedAt;
    private long truthAt;
    private int token;
    int failedDrains;
    long lastDrainAt;
    long now;

    SimulatedMover(MoveWorld world, SimulatedLeg leg, SortedSet<Scope> scopes) {
        this.world = world;
        this.leg = leg;
        this.scopes = scopes;
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
                ends.ofWork(now),
                ends.ofLook(now),
                ends.retried(now));
    }

    Optional<Truth> truth() {
        return truth.map(seen -> new Truth(
                seen.source(), seen.target(), seen.resumable(), Duration.ofMillis(now - truthAt), seen.demoted()));
    }

    /** Since both sides were found equal. */
    Optional<Duration> comparedAge() {
        return stage == Stage.COMPARED ? Optional.of(Duration.ofMillis(now - comparedAt)) : Optional.empty();
    }

    /** The other leg has been at work since. */
    void forgetTruth() {
        truth = Optional.empty();
    }

    void begin(MoveStep step, SortedSet<Scope> group) {
        if (running.isPresent()) {
            return;
        }
        running = Optional.of(step);
        ends.begun(step);
        stageAtBegin = stage;
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
            case RETIRE -> writing(leg.from, () -> stage = Stage.RETIRED);
            case GATE -> then(() -> measure(!world.chance(20)));
            case SWITCH -> switchGroup(group);
            case ABORT -> abort();
            case DEMOTE -> demote();
            case RESYNC -> resync();
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
            if (stage != stageAtBegin && stage != Stage.COPYING) {
                ends.gotPast();
            }
        } else {
            end(Optional.empty());
        }
    }

    private void then(Runnable effect) {
        rest.add(effect);
    }

    /** An effect on one side, or the end of the command where that side takes no writes. */
    private void writing(SortedMap<Scope, FenceRow> side, Runnable effect) {
        then(() -> written(side, effect));
    }

    private void written(SortedMap<Scope, FenceRow> side, Runnable effect) {
        if (leg.takesWrites(side)) {
            effect.run();
        } else if (running.isPresent()) {
            fail(refused(side == leg.from ? MoveFault.Kind.SOURCE_READ_ONLY : MoveFault.Kind.UNREACHABLE));
        }
    }

    private static MoveFault refused(MoveFault.Kind kind) {
        return curable(kind, "a shard takes no writes", "let it take writes again");
    }

    private static MoveFault curable(MoveFault.Kind kind, String message, String nextAction) {
        return new MoveFault(kind, true, message, nextAction, Duration.ZERO, 1);
    }

    /** The token on the target, then on the source. */
    private void claim() {
        writing(leg.to, () -> token = leg.newToken());
        writing(leg.from, () -> {});
    }

    /** Every command ends with a look; one that finds a shard unreadable leaves the truth as old as it is. */
    private void end(Optional<MoveFault> why) {
        MoveStep step = running.orElseThrow();
        Optional<Truth> read = leg.read();
        truth = read.or(() -> truth);
        truthAt = read.isPresent() ? now : truthAt;
        ends.ended(step, why.or(() -> read.isPresent() ? Optional.empty() : Optional.of(UNREADABLE)), now);
        rest.clear();
        running = Optional.empty();
    }

    private void fail(MoveFault why) {
        end(Optional.of(why));
    }

    private MoveFault randomFault(MoveStep step) {
        if (step == MoveStep.FOLLOW || step == MoveStep.RETIRE || stage == Stage.FOLLOWING) {
            return curable(MoveFault.Kind.OTHER, "simulated fault of " + step, "wait");
        }
        MoveFault.Kind kind = ANY.get(world.random.nextInt(ANY.size()));
        if (kind == MoveFault.Kind.DECIDED_AGAINST) {
            leg.abortTarget(scopes);
        }
        if (kind == MoveFault.Kind.POSITION_LOST || kind == MoveFault.Kind.DIVERGED) {
            leg.copied = false;
        }
        boolean endsTheWayBack = leg.leg == Leg.BACK && kind == MoveFault.Kind.DIVERGED;
        boolean undoes = step == MoveStep.ABORT || step == MoveStep.CLEAN_UP;
        boolean curable = undoes || !endsTheWayBack && world.random.nextInt(40) > 0;
        return new MoveFault(kind, curable, "simulated " + kind, "wait", Duration.ZERO, 1);
    }

    private void prepare() {
        claim();
        if (leg.leg == Leg.BACK) {
            writing(leg.to, () -> {
                if (leg.copied) {
                    leg.importing(scopes, token);
                } else {
                    lost();
                }
            });
        } else if (!leg.copied) {
            then(() -> leg.importing(scopes, token));
            then(() -> stage = Stage.COPYING);
            then(() -> leg.copy(scopes, token));
        }
        then(() -> stage = Stage.CATCHING_UP);
        then(() -> stage = Stage.IN_SYNC);
    }

    /** Of the way back: the source has a row that only the owner may write, and it is not the owner. */
    void bringsWhatNobodyMayWrite() {
        leg.copied = false;
        stage = Stage.NONE;
        ends.stopped(curable(MoveFault.Kind.DIVERGED, "written past the fence", "look who"), now);
    }

    private void lost() {
        fail(new MoveFault(
                MoveFault.Kind.POSITION_LOST, false, "the way back is lost", "a new move", Duration.ZERO, 1));
    }

    private void follow() {
        claim();
        then(() -> {
            if (leg.follow(token)) {
                stage = Stage.FOLLOWING;
            } else {
                lost();
            }
        });
    }

    private void compare() {
        stage = Stage.FOLLOWING; // what was equal before has to be so again
        then(() -> {
            if (world.flipped) {
                fail(curable(MoveFault.Kind.DIVERGED, "a row differs", "look at it"));
            } else {
                stage = Stage.COMPARED;
                comparedAt = now;
            }
        });
    }

    private void verify() {
        then(() -> {
            if (world.chance(5) || !leg.copied || world.written && leg.leg == Leg.THERE) {
                leg.copied = false;
                boolean copiedAgain = leg.leg == Leg.THERE;
                fail(new MoveFault(
                        MoveFault.Kind.DIVERGED, copiedAgain, "3 rows differ", "look at them", Duration.ZERO, 1));
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

    private void switchGroup(SortedSet<Scope> group) {
        gate = Optional.empty();
        boolean resumes = leg.read().isPresent() && group.stream().noneMatch(scope -> MoveWorld.owns(leg.from, scope));
        if (resumes) {
            claim();
        } else {
            writing(leg.from, () -> drain(group));
        }
        writing(leg.to, () -> {
            measure(true); // a switch measures for itself
            if (!leg.activate(group, token)) {
                if (!leg.takesWrites(leg.from)) { // it could not take back what would be decided against
                    fail(refused(MoveFault.Kind.SOURCE_READ_ONLY));
                    return;
                }
                leg.abortTarget(group);
                fail(curable(MoveFault.Kind.DECIDED_AGAINST, "not activated", "the abort"));
            }
        });
    }

    private void drain(SortedSet<Scope> group) {
        boolean gap = !world.chance(30);
        if (gap && leg.fence(group, token)) {
            failedDrains = 0;
        } else if (gap) {
            fail(curable(MoveFault.Kind.SUPERSEDED, "the claim is another mover's", "wait"));
        } else {
            failedDrains++;
            lastDrainAt = now;
            end(Optional.empty());
        }
    }

    /** What was reached beyond the first look counts no more. */
    private void demote() {
        Stage base = leg.leg == Leg.THERE ? Stage.VALIDATED : Stage.NONE;
        stage = stage.compareTo(base) > 0 ? base : stage;
        scopes.forEach(scope -> writing(leg.from, () -> written(leg.to, () -> leg.demote(scope))));
    }

    /** What is fenced is brought to the target once more, from behind the fence, while the source takes no writes. */
    private void resync() {
        SortedSet<Scope> fenced = new TreeSet<>(leg.fenced());
        then(() -> token = leg.newToken());
        then(() -> {
            if (world.sourceTakesWrites) {
                fail(curable(MoveFault.Kind.OTHER, "it takes writes again", "wait"));
            }
        });
        then(() -> leg.forget(token));
        then(() -> leg.empty(fenced, token));
        then(() -> leg.copyBehindTheFence(fenced, token));
        then(() -> {
            if (leg.activateStill(fenced, token)) {
                world.resynced.addAll(fenced);
            } else {
                fail(curable(MoveFault.Kind.OTHER, "not activated", "wait"));
            }
        });
        then(() -> stage = Stage.VALIDATED);
    }

    private void abort() {
        SortedSet<Scope> all = new TreeSet<>(scopes);
        claim();
        writing(leg.to, () -> written(leg.from, () -> leg.abortTarget(all)));
        writing(leg.from, () -> leg.reclaimSource(all));
        writing(leg.to, () -> deleting(leg.to, all, () -> leg.cleanTarget(all)));
        then(() -> {
            leg.copied = false;
            stage = Stage.ABORTED;
        });
    }

    private void deleting(SortedMap<Scope, FenceRow> side, SortedSet<Scope> rows, Runnable deletion) {
        if (leg.mayDelete(side, rows)) {
            deletion.run();
        } else {
            fail(curable(MoveFault.Kind.OTHER, "nobody has looked at these rows", "look at them"));
        }
    }

    private void cleanSource(Scope scope) {
        if (!leg.cleanSource(scope)) {
            fail(curable(MoveFault.Kind.OTHER, "the source owns it", "look again"));
        }
    }

    private void cleanUp() {
        for (Scope scope : scopes) {
            writing(leg.from, () -> deleting(leg.from, scopes, () -> cleanSource(scope)));
        }
        then(() -> {
            leg.copied = false;
            stage = Stage.CLEANED_UP;
        });
    }
}
