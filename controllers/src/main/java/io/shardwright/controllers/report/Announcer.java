package io.shardwright.controllers.report;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Clock;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells transitions as Kubernetes events, after they were stored. An event is a courtesy to people: one that cannot be
 * written is logged and nothing waits for it.
 */
public final class Announcer {
    private static final Logger LOG = LoggerFactory.getLogger(Announcer.class);
    private static final String COMPONENT = "shardwright";

    private final KubernetesClient client;
    private final Clock clock;

    public Announcer(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    public void tell(HasMetadata regarding, List<Transition> transitions) {
        for (Transition transition : transitions) {
            LOG.info(
                    "{}: kind={} namespace={} name={} message={}",
                    transition.reason(),
                    regarding.getKind(),
                    regarding.getMetadata().getNamespace(),
                    regarding.getMetadata().getName(),
                    transition.message());
            write(regarding, transition);
        }
    }

    private void write(HasMetadata regarding, Transition transition) {
        try {
            client.v1()
                    .events()
                    .inNamespace(regarding.getMetadata().getNamespace())
                    .resource(event(regarding, transition, clock.instant()))
                    .create();
        } catch (KubernetesClientException e) {
            LOG.warn("an event was not written: reason={} cause={}", transition.reason(), e.getMessage());
        }
    }

    static Event event(HasMetadata regarding, Transition transition, Instant now) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        return new EventBuilder()
                .withNewMetadata()
                .withGenerateName(regarding.getMetadata().getName() + ".")
                .withNamespace(regarding.getMetadata().getNamespace())
                .endMetadata()
                .withNewInvolvedObject()
                .withApiVersion(regarding.getApiVersion())
                .withKind(regarding.getKind())
                .withNamespace(regarding.getMetadata().getNamespace())
                .withName(regarding.getMetadata().getName())
                .withUid(regarding.getMetadata().getUid())
                .withResourceVersion(regarding.getMetadata().getResourceVersion())
                .endInvolvedObject()
                .withType(transition.type())
                .withReason(transition.reason())
                .withMessage(StatusText.cut(transition.message()))
                .withNewSource()
                .withComponent(COMPONENT)
                .endSource()
                .withReportingComponent(COMPONENT)
                .withFirstTimestamp(time)
                .withLastTimestamp(time)
                .withCount(1)
                .build();
    }
}
