package io.shardwright.crds.server;

import io.shardwright.servers.ControlPlane;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/** One real control plane for all classes of a run, with {@code manifests/base} installed by {@code kubectl apply -k}. */
public final class InstalledApi implements ParameterResolver {
    private static final Namespace STORE = Namespace.create(InstalledApi.class);

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ControlPlane.class;
    }

    @Override
    public ControlPlane resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return context.getRoot()
                .getStore(STORE)
                .computeIfAbsent(ControlPlane.class, type -> installed(), ControlPlane.class);
    }

    private static ControlPlane installed() {
        ControlPlane plane = ControlPlane.start();
        var admin = plane.kubectl(plane.adminKubeconfig());
        admin.run("apply", "-k", Path.of("..", "manifests", "base").toString()).orThrow();
        admin.run("wait", "--for=condition=Established", "--timeout=60s", "crd", "--all")
                .orThrow();
        return plane;
    }
}
