package io.shardwright.plugin.intent;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.plugin.Asking;
import io.shardwright.plugin.ExitCode;
import io.shardwright.plugin.Phases;
import io.shardwright.plugin.Refusal;
import io.shardwright.plugin.api.ClusterApi;
import io.shardwright.plugin.api.MoveApi;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Sets the intent of one move, and follows it when that is wanted. */
abstract class IntentCommand extends Asking implements Callable<Integer> {
    /** Versions of a moving object follow each other at most once per second; more than these are no coincidence. */
    private static final int VERSIONS = 20;

    private final Verb verb;

    @Parameters(paramLabel = "MOVE", description = "Name of the BucketMove.")
    private String name;

    @Option(names = "--wait", description = "Follow the move until its phase tells that it has happened.")
    private boolean wait;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            defaultValue = "10m",
            description =
                    "Longest time to follow, as 90s or 1h; then the exit code is 3, and the intent stays set. Default: 10m.")
    private String timeout;

    IntentCommand(Verb verb) {
        this.verb = verb;
    }

    /** Only one verb has anything to say here. */
    boolean givesUpReversal() {
        return false;
    }

    @Override
    public Integer call() {
        Duration limit = duration("--timeout", timeout);
        try (ClusterApi api = api()) {
            return act(api.moveApi(), api.move(name), limit);
        }
    }

    private int act(MoveApi moves, BucketMove first, Duration limit) {
        boolean changes = IntentDecision.changes(first, verb, givesUpReversal());
        BucketMove now = changes ? write(moves, first) : first;
        if (!wait) {
            return answer(first, now, changes ? "Changed" : "Unchanged", verb.meaning(), ExitCode.DONE);
        }
        Following following = new Following(new Goal(verb, now.getMetadata().getGeneration()), now, here().err());
        boolean inTime = moves.follow(now, following, limit);
        Optional<Goal.End> end = following.end();
        if (!inTime || end.isEmpty()) {
            return answer(
                    first,
                    following.newest(),
                    "TimedOut",
                    "not within " + timeout + "; the intent stays set" + following.nextAction(),
                    ExitCode.TIMEOUT);
        }
        boolean reached = end.get().reached();
        return answer(
                first,
                following.newest(),
                reached ? "Reached" : "Missed",
                end.get().why(),
                reached ? ExitCode.DONE : ExitCode.REFUSED);
    }

    /** A version that only tells progress is followed by the next one; another intent is somebody else's word. */
    private BucketMove write(MoveApi moves, BucketMove first) {
        BucketMove read = first;
        for (int version = 0; version < VERSIONS; version++) {
            Optional<BucketMove> written = moves.setIntent(read, verb.intent());
            if (written.isPresent()) {
                return written.get();
            }
            read = moves.read(first);
            if (read.getSpec().intent() == verb.intent()) {
                return read; // ours, if the answer to an earlier try was lost; else somebody wants the same
            }
            if (read.getSpec().intent() != first.getSpec().intent()) {
                throw IntentDecision.overtaken(first, read);
            }
            IntentDecision.changes(read, verb, givesUpReversal());
        }
        throw new Refusal(
                "BucketMove " + name + " changes faster than it can be written", "try again, or look who writes to it");
    }

    private int answer(BucketMove first, BucketMove now, String outcome, String message, int exitCode) {
        print(new IntentView(
                first.getMetadata().getNamespace(),
                name,
                first.getSpec().intent().wire(),
                now.getSpec().intent().wire(),
                Phases.of(now),
                outcome,
                message));
        return exitCode;
    }
}
