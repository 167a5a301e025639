package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.probe.MoveValidation;
import java.util.List;
import java.util.stream.Collectors;

/** Step 1: whatever stands against the move is named at once. */
final class Validation {
    private final Incarnation incarnation;

    Validation(Incarnation incarnation) {
        this.incarnation = incarnation;
    }

    void run() throws MoverFault {
        List<Problem> problems = incarnation
                .source()
                .outsideTransaction(
                        "validate",
                        source -> incarnation
                                .target()
                                .outsideTransaction(
                                        "validate",
                                        target -> MoveValidation.check(source, target, incarnation.task())));
        if (!problems.isEmpty()) {
            throw new MoverFault(
                    Failure.Kind.VALIDATION,
                    true,
                    problems.stream().map(Problem::message).collect(Collectors.joining("; ")),
                    "change what is named on the shards; it is checked again",
                    null);
        }
    }
}
