package io.shardwright.controllers.report;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.util.List;

/**
 * Stores a status, then tells what changed. The write is an apply of the status alone with the resourceVersion that the
 * decision was made on, so a status can never be laid over an object that its reconciler has not seen; the stored object is
 * put into the cache at once, so the next pass reads its own write.
 */
public final class StatusWriter {
    private final Announcer announcer;

    public StatusWriter(Announcer announcer) {
        this.announcer = announcer;
    }

    /**
     * @param seen the object that was reconciled
     * @param fresh a new object with name, namespace and the status to store, and nothing else
     * @throws io.fabric8.kubernetes.client.KubernetesClientException also with code 409, when the object has changed
     *     meanwhile: the next pass decides again
     */
    public <P extends HasMetadata> void store(P seen, P fresh, List<Transition> transitions, Context<P> context) {
        fresh.getMetadata().setResourceVersion(seen.getMetadata().getResourceVersion());
        P stored = context.getClient()
                .resource(fresh)
                .subresource("status")
                .patch(new PatchContext.Builder()
                        .withForce(true)
                        .withFieldManager(context.getControllerConfiguration().fieldManager())
                        .withPatchType(PatchType.SERVER_SIDE_APPLY)
                        .build());
        context.eventSourceRetriever()
                .getControllerEventSource()
                .handleRecentResourceUpdate(ResourceID.fromResource(seen), stored, seen);
        announcer.tell(stored, transitions);
    }
}
