package io.shardwright.controllers.routers;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RouterPodTest {
    @ParameterizedTest(name = "{0}, container running {1}: live {2}")
    @CsvSource({
        "Pending, false, false",
        "Pending, true, true",
        "Running, false, true",
        "Unknown, false, true",
        "Succeeded, true, false",
        "Failed, true, false"
    })
    void countsFromTheFirstContainerToTheLast(String phase, boolean running, boolean live) {
        var status = new PodBuilder()
                .withNewMetadata()
                .withName("web-0")
                .withUid("u")
                .endMetadata()
                .withNewStatus()
                .withPhase(phase)
                .addNewContainerStatus()
                .withName("router")
                .withStarted(running)
                .endContainerStatus()
                .endStatus()
                .build();

        assertThat(RouterPod.of(status).live()).isEqualTo(live);
    }

    @ParameterizedTest(name = "annotation {0}: {1} processes")
    @CsvSource(
            value = {"NONE, 1", "4, 4", "' 2 ', 2", "0, 1", "many, 1"},
            nullValues = "NONE")
    void expectsAsManyProcessesAsTheAnnotationSays(String annotation, int processes) {
        var pod = new PodBuilder()
                .withNewMetadata()
                .withName("web-0")
                .withUid("u")
                .withAnnotations(annotation == null ? Map.of() : Map.of("shardwright.io/routers", annotation))
                .endMetadata()
                .withNewStatus()
                .withPhase("Running")
                .endStatus()
                .build();

        assertThat(RouterPod.of(pod).processes()).isEqualTo(processes);
    }
}
