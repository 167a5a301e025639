package io.shardwright.servers.faults;

import io.shardwright.servers.Eventually;
import io.shardwright.servers.PostgresServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * Stands before a server on a port of its own and passes every message on. Sessions whose application name begins with a
 * prefix are listened to: whatever they make durable is an {@link Effect} with a number. One fault can be armed; it strikes
 * the first effect that fits, and no other.
 *
 * <p>TLS is declined, because nobody could read along. An effect is a commit of a transaction that wrote, a statement that
 * writes outside of one, or a call that acts at once (a slot that is dropped, a session that is ended).
 */
public final class FaultProxy extends EffectProxy<Fault> {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final PostgresServer server;
    private final String prefix;
    private final ServerSocket door;
    private final Set<ProxiedSession> sessions = ConcurrentHashMap.newKeySet();
    private final CountDownLatch released = new CountDownLatch(1);
    private volatile boolean answered;

    private FaultProxy(PostgresServer server, String prefix, ServerSocket door) {
        this.server = server;
        this.prefix = prefix;
        this.door = door;
    }

    /** @param prefix of the application names of sessions whose effects are numbered */
    public static FaultProxy before(PostgresServer server, String prefix) {
        try {
            var proxy = new FaultProxy(server, prefix, new ServerSocket(0, 200, InetAddress.getLoopbackAddress()));
            Thread.ofVirtual().name("fault proxy of " + server.name()).start(proxy::accept);
            return proxy;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void accept() {
        while (!door.isClosed()) {
            Socket client;
            try {
                client = door.accept();
            } catch (IOException closed) {
                return;
            }
            serve(client);
        }
    }

    private void serve(Socket client) {
        try {
            sessions.add(ProxiedSession.between(client, new Socket(server.host(), server.port()), this));
        } catch (IOException unreachable) {
            ProxiedSession.close(client); // as the server would refuse it
        }
    }

    public int port() {
        return door.getLocalPort();
    }

    /** The server has done what the fault struck, and the client has not heard so. */
    public boolean answerWithheld() {
        return answered;
    }

    void withheld() {
        answered = true;
    }

    public void awaitStruck() {
        Eventually.until(
                "a fault to strike",
                LIMIT,
                () -> struck().isPresent(),
                () -> effects().toString());
    }

    /** Lets go what is held. */
    public void release() {
        released.countDown();
    }

    void awaitRelease() throws InterruptedException {
        released.await();
    }

    /** @return the fault that strikes here */
    Optional<Fault> effect(String session, String what) {
        return session.startsWith(prefix) ? next(session, what) : Optional.empty();
    }

    void ended(ProxiedSession session) {
        sessions.remove(session);
    }

    /** Cuts every session, as the end of a client's process does; a request that is held is never sent. */
    public void cut() {
        sessions.forEach(ProxiedSession::cut);
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        release();
        cut();
    }

    @Override
    public String toString() {
        return "port " + port() + " before " + server;
    }
}
