package io.shardwright.client;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** The network between a client and one server. It can be cut, with everything that runs over it, and mended. */
public final class Cable implements AutoCloseable {
    private final ServerSocket door;
    private final String host;
    private final int port;
    private final List<Socket> ends = new ArrayList<>();
    private boolean cut;

    public Cable(String host, int port) throws IOException {
        this.host = host;
        this.port = port;
        door = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        daemon(this::accept);
    }

    /** Where the server seems to be. */
    public int port() {
        return door.getLocalPort();
    }

    private static void daemon(Runnable task) {
        Thread thread = new Thread(task, "cable");
        thread.setDaemon(true);
        thread.start();
    }

    private void accept() {
        try {
            while (true) {
                connect(door.accept());
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    private synchronized void connect(Socket client) throws IOException {
        if (cut) {
            client.close();
            return;
        }
        Socket server = new Socket(host, port);
        ends.add(client);
        ends.add(server);
        daemon(() -> forward(client, server));
        daemon(() -> forward(server, client));
    }

    private static void forward(Socket from, Socket to) {
        try (from;
                to) {
            from.getInputStream().transferTo(to.getOutputStream());
        } catch (IOException gone) {
            // one side has hung up
        }
    }

    /** Connections break, and no new one comes about. */
    public synchronized void cut() throws IOException {
        cut = true;
        for (Socket end : ends) {
            end.close();
        }
        ends.clear();
    }

    public synchronized void mend() {
        cut = false;
    }

    @Override
    public void close() throws IOException {
        door.close();
        cut();
    }
}
