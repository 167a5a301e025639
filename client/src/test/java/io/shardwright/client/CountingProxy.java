package io.shardwright.client;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Stands between a client and PostgreSQL, reads the client's messages, and counts the round trips: each Sync and each
 * simple Query is one. It can lose the answer to the next COMMIT.
 */
public final class CountingProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final String host;
    private final int port;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicInteger roundTrips = new AtomicInteger();
    private volatile boolean loseCommit;

    public CountingProxy(String host, int port) throws IOException {
        this.host = host;
        this.port = port;
        this.listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Round trips since the last call. */
    public int takeRoundTrips() {
        return roundTrips.getAndSet(0);
    }

    /** The next COMMIT reaches the server, its answer reaches nobody. */
    public void loseNextCommit() {
        loseCommit = true;
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket server = new Socket(host, port);
                sockets.add(client);
                sockets.add(server);
                daemon(() -> forwardMessages(client, server));
                daemon(() -> forwardBytes(server, client));
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private void forwardMessages(Socket client, Socket server) {
        try (client;
                server) {
            DataInputStream in = new DataInputStream(client.getInputStream());
            OutputStream out = server.getOutputStream();
            forward(in, out, -1); // the startup message has no type; TLS is not offered
            for (int type = in.read(); type >= 0; type = in.read()) {
                byte[] body = forward(in, out, type);
                if (type == 'S' || type == 'Q') {
                    roundTrips.incrementAndGet();
                }
                boolean commit = new String(body, StandardCharsets.ISO_8859_1).contains("COMMIT");
                if (commit && loseCommit) {
                    loseCommit = false;
                    forward(in, out, in.read()); // Bind, Execute, Sync follow: let them through
                    forward(in, out, in.read());
                    forward(in, out, in.read());
                    out.flush();
                    client.close();
                    drain(server.getInputStream());
                }
            }
        } catch (IOException closed) {
            // one side has hung up
        }
    }

    private static byte[] forward(DataInputStream in, OutputStream out, int type) throws IOException {
        int length = in.readInt();
        byte[] body = in.readNBytes(length - Integer.BYTES);
        byte[] message = new byte[(type < 0 ? 0 : 1) + length];
        int at = 0;
        if (type >= 0) {
            message[at++] = (byte) type;
        }
        for (int shift = 24; shift >= 0; shift -= 8) {
            message[at++] = (byte) (length >> shift);
        }
        System.arraycopy(body, 0, message, at, body.length);
        out.write(message);
        return body;
    }

    /** Reads until the server has answered the COMMIT (ReadyForQuery, idle). */
    private static void drain(InputStream in) throws IOException {
        for (int next = in.read(), last = 0; next >= 0 && !(last == 5 && next == 'I'); next = in.read()) {
            last = next;
        }
    }

    private static void forwardBytes(Socket from, Socket to) {
        try {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException closed) {
            // one side has hung up
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
