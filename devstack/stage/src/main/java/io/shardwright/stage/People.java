package io.shardwright.stage;

import io.shardwright.servers.ControlPlane;
import io.shardwright.servers.Kubectl;
import java.nio.file.Path;
import java.util.List;

/** Who acts on the stage with kubectl: each has exactly the shipped role of his group, but for the administrator. */
public final class People {
    private final ControlPlane plane;
    private final Path engineer;
    private final Path approver;

    People(ControlPlane plane) {
        this.plane = plane;
        engineer = plane.kubeconfig("ada", List.of("engineers"));
        approver = plane.kubeconfig("grace", List.of("approvers"));
    }

    /** May do everything; installs and cleans up. */
    public Kubectl administrator() {
        return plane.kubectl(plane.adminKubeconfig());
    }

    /** Creates and edits topology, policies and moves in the shop's namespace. */
    public Kubectl engineer() {
        return plane.kubectl(engineer);
    }

    /** Approves plans. */
    public Kubectl approver() {
        return plane.kubectl(approver);
    }

    /** Somebody without any role. */
    public Kubectl stranger() {
        return plane.kubectl(plane.kubeconfig("mallory", List.of()));
    }

    public Path administratorKubeconfig() {
        return plane.adminKubeconfig();
    }
}
