package io.shardwright.controllers;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import io.javaoperatorsdk.operator.processing.event.source.ResourceEventAware;
import io.javaoperatorsdk.operator.processing.event.source.inbound.SimpleInboundEventSource;
import java.util.function.Consumer;

/**
 * Calls a reconciler when something happened that no watch delivers: a database looks different, a mover went on, a router
 * acknowledged. A ring before the reconciler runs is lost, which is no loss: everything is reconciled at its start.
 */
public final class Bell<P extends HasMetadata> {
    private final String name;
    private volatile Source<P> source;

    public Bell(String name) {
        this.name = name;
    }

    /**
     * The event source of one run of the framework; a later run replaces it.
     *
     * @param gone told of every primary that was deleted, so that what was kept for it can be let go
     */
    public EventSource<Void, P> newSource(Consumer<P> gone) {
        Source<P> next = new Source<>(name, gone);
        source = next;
        return next;
    }

    public void ring(ResourceID primary) {
        Source<P> current = source;
        if (current != null) {
            current.propagateEvent(primary);
        }
    }

    private static final class Source<P extends HasMetadata> extends SimpleInboundEventSource<P>
            implements ResourceEventAware<P> {
        private final Consumer<P> gone;

        private Source(String name, Consumer<P> gone) {
            super(name);
            this.gone = gone;
        }

        @Override
        public void onResourceDeleted(P resource) {
            gone.accept(resource);
        }
    }
}
