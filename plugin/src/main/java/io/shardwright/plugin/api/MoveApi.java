package io.shardwright.plugin.api;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.plugin.Refusal;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** Changes the intent of a move, and follows it. */
public final class MoveApi {
    private static final int CONFLICT = 409;
    private static final int NOT_FOUND = 404;

    private final KubernetesClient client;
    private final String namespace;
    private final ApiRefusals refusals;

    MoveApi(KubernetesClient client, String namespace, ApiRefusals refusals) {
        this.client = client;
        this.namespace = namespace;
        this.refusals = refusals;
    }

    /**
     * Sets the intent of exactly this version of the move.
     *
     * @return the move as it is stored then; empty when it has changed since it was read, and nothing was written
     */
    public Optional<BucketMove> setIntent(BucketMove read, Intent intent) {
        try {
            return Optional.of(resource(read).patch(PatchContext.of(PatchType.JSON_MERGE), patch(read, intent)));
        } catch (KubernetesClientException e) {
            if (e.getCode() == CONFLICT) {
                return Optional.empty();
            }
            if (ApiRefusals.isUnanswered(e)) {
                throw new Refusal(
                        "no answer from the API server: nobody knows whether intent " + intent.wire() + " is set",
                        "look, and say it again if it is not: kubectl shardwright moves -n " + namespace);
            }
            throw refusals.of(
                    e,
                    "set intent " + intent.wire() + " of BucketMove "
                            + read.getMetadata().getName(),
                    intent == Intent.COMPLETE ? ApiRefusals.Role.APPROVER : ApiRefusals.Role.OPERATOR_USER);
        }
    }

    /** No other object, and no other state of it, ever has this version; so a new move of the same name is never meant. */
    private static String patch(BucketMove read, Intent intent) {
        return Serialization.asJson(Map.of(
                "metadata",
                Map.of("resourceVersion", read.getMetadata().getResourceVersion()),
                "spec",
                Map.of("intent", intent.wire())));
    }

    /** The move as it is now. */
    public BucketMove read(BucketMove move) {
        BucketMove now;
        try {
            now = resource(move).get();
        } catch (KubernetesClientException e) {
            throw refusals.of(e, "get BucketMove " + move.getMetadata().getName(), ApiRefusals.Role.VIEWER);
        }
        if (now == null || !now.getMetadata().getUid().equals(move.getMetadata().getUid())) {
            throw new Refusal(
                    "BucketMove " + move.getMetadata().getName() + " was deleted meanwhile",
                    "list what there is: kubectl shardwright moves -n " + namespace);
        }
        return now;
    }

    /**
     * Watches the move until the condition holds; the first look is at the move as it is now.
     *
     * @param reached is given every version, and null once the move is gone
     * @return false when the time is over
     */
    public boolean follow(BucketMove move, Predicate<BucketMove> reached, Duration limit) {
        try {
            resource(move).waitUntilCondition(reached, limit.toMillis(), TimeUnit.MILLISECONDS);
            return true;
        } catch (KubernetesClientTimeoutException e) {
            return false;
        } catch (KubernetesClientException e) {
            if (e.getCode() == NOT_FOUND) {
                return reached.test(null);
            }
            throw refusals.of(e, "watch BucketMove " + move.getMetadata().getName(), ApiRefusals.Role.VIEWER);
        }
    }

    private Resource<BucketMove> resource(BucketMove move) {
        return client.resources(BucketMove.class)
                .inNamespace(namespace)
                .withName(move.getMetadata().getName());
    }
}
