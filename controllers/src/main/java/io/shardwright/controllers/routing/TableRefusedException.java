package io.shardwright.controllers.routing;

import io.shardwright.routing.Violation;
import java.util.List;
import java.util.stream.Collectors;

/** A table that breaks a rule of the contract was about to be written; nothing was. A fault of the operator. */
public class TableRefusedException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    TableRefusedException(String cluster, List<Violation> violations) {
        super("the next routing table of " + cluster + " would break "
                + violations.stream().map(Violation::toString).collect(Collectors.joining("; ")));
    }
}
