package io.shardwright.controllers.report;

import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.Reason;
import java.net.HttpURLConnection;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What becomes of a pass of a reconciler that fails: it is tried again, and what does not pass by itself is told. */
public final class PassFaults {
    private static final Logger LOG = LoggerFactory.getLogger(PassFaults.class);

    private PassFaults() {}

    /**
     * Runs a pass. The framework retries after an exception only: after an {@link Error} it would take the object for one
     * that is being worked on and never reconcile it again.
     *
     * @throws IllegalStateException for an Error, with it as the cause
     */
    public static <T> T retriable(Supplier<T> pass) {
        try {
            return pass.get();
        } catch (Error e) {
            LOG.error("a pass ended with an error and is tried again", e);
            throw new IllegalStateException("a fault of the operator: " + e, e);
        }
    }

    /** A conflict is decided again, and what fails once may be an API server that restarts: nobody needs to read of these. */
    public static boolean isWorthTelling(Context<?> context, Exception failure) {
        boolean again = context.getRetryInfo()
                .map(RetryInfo::getAttemptCount)
                .filter(attempts -> attempts >= 1)
                .isPresent();
        boolean conflict =
                failure instanceof KubernetesClientException api && api.getCode() == HttpURLConnection.HTTP_CONFLICT;
        return again && !conflict;
    }

    public static String message(Exception failure) {
        return "the operator could not do its work and tries again: "
                + (failure.getMessage() == null ? failure.toString() : failure.getMessage());
    }

    /** The status says that passes fail. */
    public static boolean isTold(List<Condition> conditions, ConditionType type) {
        return Conditions.find(conditions, type)
                .filter(one -> one.reason().equals(Reason.OPERATOR_FAULT.wire()))
                .isPresent();
    }

    /** One warning for each row of failures. */
    public static List<Transition> transitions(List<Condition> before, ConditionType type, String message) {
        return isTold(before, type) ? List.of() : List.of(Transition.warning(Reason.OPERATOR_FAULT.wire(), message));
    }

    /** The write may fail for the very reason that it tells. */
    public static void tell(Runnable write) {
        try {
            write.run();
        } catch (KubernetesClientException e) {
            LOG.warn("a status could not tell that a pass failed: cause={}", e.getMessage());
        }
    }
}
