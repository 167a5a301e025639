package io.shardwright.client.feed;

import io.shardwright.client.table.Contact;
import io.shardwright.client.table.RouteTable;
import io.shardwright.routing.AckReply;
import io.shardwright.routing.AckReplyCodec;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.AcknowledgementCodec;
import io.shardwright.routing.TableOrder;
import java.io.IOException;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Says what this router has done: on every change, at most ten times a second, and every 10 s with jitter. Only an answer
 * that a leader confirms counts as heard.
 */
public final class AckSender implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(AckSender.class.getName());
    private static final long SPACING_NANOS = Duration.ofMillis(100).toNanos();
    private static final long PERIOD_NANOS = Duration.ofSeconds(10).toNanos();
    private static final long RETRY_NANOS = Duration.ofSeconds(1).toNanos();
    private static final double JITTER = 0.1;

    /** After so many in a row that nobody has confirmed, one goes without its load: no figure may silence a router. */
    private static final int PATIENCE_WITH_LOAD = 3;

    private final OperatorLine line;
    private final Supplier<Acknowledgement> acknowledgement;
    private final RouteTable table;
    private final Contact contact;
    private final FeedReader feed;
    private final Random random;
    private final Semaphore changes = new Semaphore(0);
    private final Thread thread = new Thread(this::sendForEver, "shardwright-acks");
    private final CountDownLatch closed = new CountDownLatch(1);
    private TableOrder owed;
    private int unconfirmed;

    public AckSender(
            OperatorLine line,
            Supplier<Acknowledgement> acknowledgement,
            RouteTable table,
            Contact contact,
            FeedReader feed,
            Random random) {
        this.line = line;
        this.acknowledgement = acknowledgement;
        this.table = table;
        this.contact = contact;
        this.feed = feed;
        this.random = random;
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** Something to acknowledge has changed; never blocks. */
    public void changed() {
        changes.release();
    }

    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }

    private void sendForEver() {
        try {
            long sent = System.nanoTime();
            while (!closed.await(SPACING_NANOS - (System.nanoTime() - sent), TimeUnit.NANOSECONDS)) {
                sent = System.nanoTime();
                changes.drainPermits(); // what is read from here on covers these changes
                boolean heard = send();
                unconfirmed = heard ? 0 : unconfirmed + 1;
                long pause = heard && owed == null ? PERIOD_NANOS : RETRY_NANOS;
                changes.tryAcquire(jittered(pause), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    private long jittered(long nanos) {
        return (long) (nanos * (1 - JITTER + 2 * JITTER * random.nextDouble()));
    }

    /** True when a leader has confirmed it. */
    private boolean send() throws InterruptedException {
        try {
            Acknowledgement ack = acknowledgement.get();
            String body = AcknowledgementCodec.encode(unconfirmed < PATIENCE_WITH_LOAD ? ack : ack.withoutLoad());
            AckReply reply = AckReplyCodec.decode(line.acknowledge(body));
            if (reply.confirmed()) {
                contact.confirmed();
            }
            expect(reply.newest());
            return reply.confirmed();
        } catch (IOException | IllegalArgumentException e) {
            LOG.log(System.Logger.Level.DEBUG, "no acknowledgement: {0}", e.getMessage());
            line.elsewhere();
            return false;
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "an acknowledgement met an error of its own and is tried again", e);
            return false;
        }
    }

    /** A table that the answer before this one named already, and that the feed still has not brought: the feed is dead. */
    private void expect(TableOrder newest) {
        if (owed != null && isAhead(owed)) {
            feed.reconnect();
        }
        owed = newest != null && isAhead(newest) ? newest : null;
    }

    private boolean isAhead(TableOrder order) {
        return table.current().map(view -> view.order().compareTo(order) < 0).orElse(true);
    }
}
