package io.shardwright.plugin.api;

import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.shardwright.plugin.ExitCode;
import io.shardwright.plugin.Refusal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Which API server a command talks to, and as whom: by kubeconfig and context, as kubectl does. */
public final class Connection {
    private static final int CONNECT_MILLIS = 10_000;

    private Connection() {}

    /**
     * Who looks where; what is empty is taken from the kubeconfig, and that as kubectl finds it.
     *
     * @param as somebody else to act as, with these groups, as far as one may
     * @param requestTimeout longest wait for one answer; a request is repeated once
     */
    public record Choice(
            Optional<Path> kubeconfig,
            Optional<String> context,
            Optional<String> namespace,
            Optional<String> as,
            List<String> groups,
            Duration requestTimeout) {
        private static final Duration USUAL = Duration.ofSeconds(20);

        public static Choice of(Optional<Path> kubeconfig, Optional<String> context, Optional<String> namespace) {
            return new Choice(kubeconfig, context, namespace, Optional.empty(), List.of(), USUAL);
        }
    }

    public static ClusterApi open(Choice choice) {
        Config config = config(choice.kubeconfig(), choice.context());
        choice.as().ifPresent(config::setImpersonateUsername);
        if (!choice.groups().isEmpty()) {
            config.setImpersonateGroups(choice.groups().toArray(String[]::new));
        }
        config.setRequestRetryBackoffLimit(1);
        config.setConnectionTimeout(CONNECT_MILLIS);
        config.setRequestTimeout(Math.toIntExact(choice.requestTimeout().toMillis()));
        KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(config)
                .withHttpClientFactory(new JdkHttpClientFactory())
                .build();
        return new ClusterApi(
                client,
                choice.namespace()
                        .or(() -> Optional.ofNullable(config.getNamespace()))
                        .filter(name -> !name.isEmpty())
                        .orElse("default"));
    }

    private static Config config(Optional<Path> kubeconfig, Optional<String> context) {
        kubeconfig.ifPresent(Connection::readable);
        Config config = kubeconfig.isPresent()
                ? Config.fromKubeconfig(context.orElse(null), kubeconfig.get().toFile())
                : Config.autoConfigure(context.orElse(null));
        context.ifPresent(name -> known(name, config));
        return config;
    }

    private static void readable(Path kubeconfig) {
        if (!Files.isReadable(kubeconfig)) {
            throw new Refusal(
                    "--kubeconfig: " + kubeconfig + " cannot be read", "name a kubeconfig file", ExitCode.USAGE);
        }
    }

    /** Another server than the one that was meant would be worse than none. */
    private static void known(String name, Config config) {
        List<String> names = Optional.ofNullable(config.getContexts()).orElse(List.of()).stream()
                .map(NamedContext::getName)
                .toList();
        if (!names.contains(name)) {
            throw new Refusal(
                    "--context: the kubeconfig has no context " + name,
                    names.isEmpty() ? "it has no contexts at all" : "there are: " + String.join(", ", names),
                    ExitCode.USAGE);
        }
    }
}
