package io.shardwright.stage.kubelet;

import io.shardwright.routing.Role;
import io.shardwright.servers.OwnedProcess;
import io.shardwright.servers.WorkDirectory;
import java.nio.file.Path;
import java.util.Optional;

/** A running router and the pod that it is. Signals are real; the pod's status follows by itself. */
public final class RouterProcess {
    private final RouterSpec spec;
    private final String podUid;
    private final WorkDirectory directory;
    private final OwnedProcess process;

    RouterProcess(RouterSpec spec, String podUid, WorkDirectory directory, OwnedProcess process) {
        this.spec = spec;
        this.podUid = podUid;
        this.directory = directory;
        this.process = process;
    }

    public String name() {
        return spec.name();
    }

    public Role role() {
        return spec.role();
    }

    /** The pod's UID: the instance id that it acknowledges with. */
    public String podUid() {
        return podUid;
    }

    public OwnedProcess process() {
        return process;
    }

    public boolean isRunning() {
        return process.isAlive();
    }

    public Optional<Integer> exitCode() {
        return process.exitCode();
    }

    /** SIGSTOP: it holds its connections and never acknowledges again. The pod stays Running, as in a real cluster. */
    public void freeze() {
        process.freeze();
    }

    public void thaw() {
        process.thaw();
    }

    /** SIGKILL: the pod becomes Failed. */
    public void kill() {
        process.kill();
    }

    public Path log() {
        return process.log();
    }

    /** The router's own directory: token, mounted table, whatever it writes; goes with the stage. */
    public Path directory() {
        return directory.path();
    }

    RouterSpec spec() {
        return spec;
    }

    WorkDirectory workDirectory() {
        return directory;
    }

    @Override
    public String toString() {
        return name() + " (" + process + ")";
    }
}
