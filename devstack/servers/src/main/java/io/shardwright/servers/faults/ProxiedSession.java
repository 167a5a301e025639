package io.shardwright.servers.faults;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** One connection through the proxy: a thread for what the client says, another for what the server says. */
final class ProxiedSession {
    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;
    private static final int CANCEL_REQUEST = 80877102;
    private static final int BUFFER = 1 << 16;

    /** Parse, Bind, Describe, Execute, Close; a Sync ends them. */
    private static final Set<Character> PARTS_OF_A_REQUEST = Set.of('P', 'B', 'D', 'E', 'C');

    private final Socket client;
    private final Socket server;
    private final DataInputStream fromClient;
    private final DataOutputStream toClient;
    private final DataInputStream fromServer;
    private final DataOutputStream toServer;
    private final FaultProxy proxy;
    private final Conversation conversation = new Conversation();

    /** Not sent yet: the server would execute a commit before it hears the end of the request. */
    private final List<WireMessage> request = new ArrayList<>();

    /** The request whose answer the fault is about; none is that far. */
    private volatile long faulty = Long.MAX_VALUE;

    private volatile Fault fault;

    private ProxiedSession(Socket client, Socket server, FaultProxy proxy) throws IOException {
        this.client = client;
        this.server = server;
        this.proxy = proxy;
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        fromClient = new DataInputStream(new BufferedInputStream(client.getInputStream(), BUFFER));
        toClient = new DataOutputStream(new BufferedOutputStream(client.getOutputStream(), BUFFER));
        fromServer = new DataInputStream(new BufferedInputStream(server.getInputStream(), BUFFER));
        toServer = new DataOutputStream(new BufferedOutputStream(server.getOutputStream(), BUFFER));
    }

    static ProxiedSession between(Socket client, Socket server, FaultProxy proxy) throws IOException {
        var session = new ProxiedSession(client, server, proxy);
        Thread.ofVirtual().name("requests").start(() -> session.pump(session::passRequests));
        return session;
    }

    @FunctionalInterface
    private interface Pump {
        void run() throws IOException, InterruptedException;
    }

    private void pump(Pump pump) {
        try {
            pump.run();
        } catch (IOException | InterruptedException over) {
            // the other end is told by the cut
        } finally {
            cut();
            proxy.ended(this);
        }
    }

    private void passRequests() throws IOException, InterruptedException {
        if (!passBeginning()) {
            return;
        }
        Thread.ofVirtual().name("answers").start(() -> pump(this::passAnswers));
        while (true) {
            var message = WireMessage.typed(fromClient);
            request.add(message);
            if (conversation.asked(message)) {
                var effect = conversation.effect();
                if (effect.isPresent() && !mayPass(effect.get())) {
                    return;
                }
                sendRequest();
            } else if (!PARTS_OF_A_REQUEST.contains(message.type())) {
                sendRequest();
            }
        }
    }

    private void sendRequest() throws IOException {
        for (var message : request) {
            message.write(toServer);
        }
        request.clear();
        if (fromClient.available() == 0) {
            toServer.flush();
        }
    }

    /** @return false when there is no session, or none that we could follow */
    private boolean passBeginning() throws IOException {
        while (true) {
            var first = WireMessage.untyped(fromClient);
            int code = ByteBuffer.wrap(first.body()).getInt();
            if (code == SSL_REQUEST || code == GSS_REQUEST) {
                toClient.writeByte('N');
                toClient.flush();
                continue;
            }
            first.write(toServer);
            toServer.flush();
            if (code == CANCEL_REQUEST) {
                fromServer.read(); // the server closes when it has heard
            }
            return code != CANCEL_REQUEST;
        }
    }

    /** @return false when the request is not to be sent */
    private boolean mayPass(String effect) throws InterruptedException {
        var strikes = proxy.effect(conversation.applicationName(), effect);
        if (strikes.isEmpty()) {
            return true;
        }
        switch (strikes.get()) {
            case CUT_BEFORE -> {
                return false;
            }
            case HOLD_REQUEST -> proxy.awaitRelease();
            case CUT_AFTER, DROP_ANSWER, HOLD_ANSWER -> {
                fault = strikes.get();
                faulty = conversation.requests();
            }
        }
        return true;
    }

    private void passAnswers() throws IOException, InterruptedException {
        while (true) {
            var message = WireMessage.typed(fromServer);
            if (conversation.answers() + 1 != faulty) {
                conversation.answered(message);
                pass(message);
                continue;
            }
            var answer = wholeAnswer(message);
            proxy.withheld();
            switch (fault) {
                case HOLD_ANSWER -> {
                    proxy.awaitRelease();
                    for (var one : answer) {
                        pass(one);
                    }
                }
                case DROP_ANSWER -> {}
                case CUT_AFTER, CUT_BEFORE, HOLD_REQUEST -> {
                    return;
                }
            }
        }
    }

    /** Until the server is ready for the next request: it has done everything then. */
    private List<WireMessage> wholeAnswer(WireMessage first) throws IOException {
        var answer = new ArrayList<>(List.of(first));
        while (!conversation.answered(answer.getLast())) {
            answer.add(WireMessage.typed(fromServer));
        }
        return answer;
    }

    private void pass(WireMessage message) throws IOException {
        message.write(toClient);
        if (fromServer.available() == 0) {
            toClient.flush();
        }
    }

    /** Both ends see a connection that broke. */
    void cut() {
        close(client);
        close(server);
    }

    static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
