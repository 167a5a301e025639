package io.shardwright.plugin.api;

import io.fabric8.kubernetes.api.model.StatusCause;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.shardwright.plugin.Refusal;
import java.util.List;
import java.util.Optional;

/** What an answer of the API server means to a person. */
final class ApiRefusals {
    private static final int UNAUTHORIZED = 401;
    private static final int FORBIDDEN = 403;
    private static final int NOT_FOUND = 404;
    private static final int UNPROCESSABLE = 422;

    /** The shipped roles ({@code manifests/base/people-roles.yaml}), and what each of them is for. */
    enum Role {
        VIEWER("shardwright-viewer"),
        OPERATOR_USER("shardwright-operator-user"),
        APPROVER("shardwright-approver");

        private final String clusterRole;

        Role(String clusterRole) {
            this.clusterRole = clusterRole;
        }
    }

    private final String namespace;
    private final String server;

    ApiRefusals(String namespace, String server) {
        this.namespace = namespace;
        this.server = server;
    }

    /**
     * Says what happened.
     *
     * @param what was tried, as "list BucketMoves"
     * @param role the least one that allows it
     */
    Refusal of(KubernetesClientException failure, String what, Role role) {
        if (isUnanswered(failure)) {
            return new Refusal(
                    "no answer from the API server at " + server + ": " + deepest(failure),
                    "look at the kubeconfig and its current context, or try again");
        }
        return switch (failure.getCode()) {
            case UNAUTHORIZED ->
                new Refusal(
                        "the API server at " + server + " does not know you",
                        "log in again, or name another context with --context");
            case FORBIDDEN -> forbidden(failure, what, role);
            case NOT_FOUND ->
                new Refusal(
                        "the API server at " + server
                                + " does not have the kinds of Shardwright, or the object is gone",
                        "look whether they are installed: kubectl api-resources --api-group=shardwright.io");
            case UNPROCESSABLE -> new Refusal("the API server refuses to " + what, causes(failure));
            default ->
                new Refusal("the API server failed to " + what + " (" + failure.getCode() + ")", message(failure));
        };
    }

    /** Whether it got as far as a server is not known then. */
    static boolean isUnanswered(KubernetesClientException failure) {
        return failure.getCode() <= 0;
    }

    private Refusal forbidden(KubernetesClientException failure, String what, Role role) {
        return new Refusal(
                "you may not " + what + " in namespace " + namespace + ": the role " + role.clusterRole
                        + " is missing (" + message(failure) + ")",
                "ask somebody who may to run: kubectl -n " + namespace + " create rolebinding <name> --clusterrole="
                        + role.clusterRole + " --user=<you>");
    }

    /** The rules that refused, without what every such message repeats. */
    private static String causes(KubernetesClientException failure) {
        List<StatusCause> causes = Optional.ofNullable(failure.getStatus())
                .map(status -> status.getDetails())
                .map(details -> details.getCauses())
                .orElse(List.of());
        return causes.isEmpty()
                ? message(failure)
                : String.join(
                        "; ",
                        causes.stream()
                                .map(cause -> cause.getField() + ": "
                                        + cause.getMessage().replaceFirst("^Invalid value: ", ""))
                                .toList());
    }

    private static String message(KubernetesClientException failure) {
        return Optional.ofNullable(failure.getStatus())
                .map(status -> status.getMessage())
                .orElseGet(() -> deepest(failure));
    }

    private static String deepest(Throwable failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return Optional.ofNullable(cause.getMessage()).orElseGet(cause.getClass()::getSimpleName);
    }
}
