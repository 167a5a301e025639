package io.shardwright.controllers.shardpolicy;

import io.shardwright.controllers.shardpolicy.PolicyPlan.Verdict;
import io.shardwright.crds.Reason;
import io.shardwright.meaning.Detection;
import io.shardwright.meaning.Pins;
import io.shardwright.planning.windows.Closure;
import java.util.Optional;

/** What in a policy cannot be obeyed. The rest of it is obeyed; what it says of time or pins is left undone. */
final class PolicyChecks {
    private PolicyChecks() {}

    static Verdict accepted(PolicyObservation seen) {
        return unreadable(seen)
                .map(closure -> Verdict.no(Reason.WINDOW_UNFIT, closure.reason() + "; no move begins until then"))
                .or(() -> pinFault(seen)
                        .map(fault -> Verdict.no(Reason.PIN_UNFIT, fault + "; until then every key stays where it is")))
                .or(() -> targetFault(seen)
                        .map(fault -> Verdict.no(Reason.DETECTION_UNFIT, fault + "; until then no key is proposed")))
                .orElseGet(() -> Verdict.yes(Reason.ACCEPTED));
    }

    private static Optional<Closure> unreadable(PolicyObservation seen) {
        return seen.hours().closed().filter(closure -> closure.cause() == Closure.Cause.UNREADABLE);
    }

    private static Optional<String> pinFault(PolicyObservation seen) {
        return seen.cluster()
                .flatMap(cluster -> Pins.of(seen.policy().getSpec().hotKeys(), cluster.getSpec())
                        .fault());
    }

    private static Optional<String> targetFault(PolicyObservation seen) {
        return seen.cluster()
                .flatMap(cluster -> Detection.of(seen.policy().getSpec().hotKeys(), cluster.getSpec())
                        .fault());
    }

    /** What to do about it. */
    static Optional<String> advice(PolicyObservation seen, Verdict accepted) {
        return switch (accepted.reason()) {
            case WINDOW_UNFIT -> unreadable(seen).map(Closure::advice);
            case PIN_UNFIT -> pinFault(seen);
            case DETECTION_UNFIT -> targetFault(seen);
            default -> Optional.empty();
        };
    }
}
