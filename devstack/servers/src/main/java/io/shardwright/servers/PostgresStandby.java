package io.shardwright.servers;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;

/**
 * A standby that streams from a running primary: it can stall at a moment of the test's choice, and take the primary's place.
 *
 * <p>The primary does not wait for it unless its {@code synchronous_standby_names} say so ({@link #synchronous}).
 */
public final class PostgresStandby implements AutoCloseable {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final PostgresServer primary;
    private final PostgresServer server;
    private OptionalLong stalled = OptionalLong.empty();

    private PostgresStandby(PostgresServer primary, PostgresServer server) {
        this.primary = primary;
        this.server = server;
    }

    /** A copy of the primary that has begun to stream. @param name of the server, and {@code application_name} of its stream */
    public static PostgresStandby of(PostgresServer primary, String name) {
        var standby = new PostgresStandby(primary, primary.follower(name));
        Eventually.until(name + " to stream", LIMIT, () -> standby.is("state = 'streaming'"), standby::evidence);
        return standby;
    }

    /** As {@link #of}, and every commit of the primary waits until this standby has flushed it. */
    public static PostgresStandby synchronous(PostgresServer primary, String name) {
        var standby = of(primary, name);
        primary.set("synchronous_standby_names", '"' + name + '"');
        Eventually.until(
                name + " to be synchronous", LIMIT, () -> standby.is("sync_state = 'sync'"), standby::evidence);
        return standby;
    }

    private boolean is(String condition) {
        return !primary.query(
                        "postgres",
                        "SELECT FROM pg_stat_replication WHERE application_name = '" + server.name() + "' AND "
                                + condition)
                .isEmpty();
    }

    private String evidence() {
        return server.process().map(OwnedProcess::evidence).orElse(server + " does not run");
    }

    /** The server, before and after its promotion. */
    public PostgresServer server() {
        return server;
    }

    /**
     * From now on it receives, writes and flushes nothing, its connection stays open, and it still answers queries: SIGSTOP
     * to the one process that receives. (A paused replay would still flush, and commits would still be answered.)
     */
    public void stall() {
        var receiver = server.query("postgres", "SELECT pid FROM pg_stat_wal_receiver");
        long pid = Long.parseLong(receiver.getFirst().getFirst());
        Shell.signal(pid, "STOP");
        Eventually.until(
                "the receiver of " + server.name() + " to stand", LIMIT, () -> Shell.stands(pid), this::evidence);
        stalled = OptionalLong.of(pid);
    }

    /** It goes on where it stalled. */
    public void resume() {
        stalled.ifPresent(pid -> Shell.signal(pid, "CONT"));
        stalled = OptionalLong.empty();
    }

    /**
     * Makes it a primary with what it has flushed. What it has not received while it stalled is lost to it: its receiver
     * ends before it reads again. Whoever was primary is not told; stop it first.
     */
    public void promote() {
        stalled.ifPresent(pid -> Shell.signal(pid, "TERM"));
        server.runScript("postgres", "SELECT pg_promote(wait => false)");
        resume();
        Eventually.until(
                server.name() + " to be primary",
                LIMIT,
                () -> server.query("postgres", "SELECT pg_is_in_recovery()").equals(List.of(List.of("f"))),
                this::evidence);
    }

    @Override
    public void close() {
        server.close();
    }

    @Override
    public String toString() {
        return server + ", standby of " + primary.name();
    }
}
