package io.shardwright.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** How a server that refuses to run as root (PostgreSQL) is run all the same. */
enum Unprivileged {
    /** We are not root: as we are. */
    AS_WE_ARE(List.of()),

    /** Root in a user namespace of its own, in which it is nobody; files are still those of root. */
    USER_NAMESPACE(List.of("unshare", "-U")),

    /**
     * The user nobody, who may write where root may: for containers that forbid user namespaces. The binaries must lie
     * where nobody can reach them, because a program looks for itself without that right.
     */
    NOBODY(List.of(
            "setpriv",
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "--inh-caps=+dac_override",
            "--ambient-caps=+dac_override"));

    private static Unprivileged chosen;

    private final List<String> prefix;

    Unprivileged(List<String> prefix) {
        this.prefix = prefix;
    }

    /** The first way that works here, found once. */
    static synchronized Unprivileged here() {
        if (chosen == null) {
            chosen = !"root".equals(System.getProperty("user.name"))
                    ? AS_WE_ARE
                    : USER_NAMESPACE.works() ? USER_NAMESPACE : NOBODY;
        }
        return chosen;
    }

    List<String> command(List<String> words) {
        var command = new ArrayList<>(prefix);
        command.addAll(words);
        return List.copyOf(command);
    }

    /** Who has to own a directory whose mode a server changes, in the words of {@code mount}. */
    String mountOwner() {
        return this == NOBODY ? "uid=65534,gid=65534" : "uid=0,gid=0";
    }

    /** Where unpacked binaries are kept for this way. */
    Path cache() {
        return this == NOBODY
                ? Path.of(System.getProperty("java.io.tmpdir"), "shardwright-cache")
                : ServersCache.root();
    }

    private boolean works() {
        try {
            return new ProcessBuilder(command(List.of("true"))).start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new UncheckedIOException(new IOException("interrupted", e));
        }
    }
}
