package io.shardwright.client.feed;

import io.shardwright.client.table.TableIntake;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Reads tables from the event stream, for ever: a stream that ends, or is silent for too long, is opened again at another
 * replica after a random wait, so that a thousand routers do not come back in the same moment.
 */
public final class FeedReader implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(FeedReader.class.getName());
    /** Three heartbeats. */
    public static final Duration SILENCE = Duration.ofSeconds(15);

    private static final long FIRST_WAIT_MILLIS = 100;
    private static final long LONGEST_WAIT_MILLIS = 5_000;

    private final OperatorLine line;
    private final TableIntake intake;
    private final Random random;
    private final Duration silence;
    private final CountDownLatch first = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread = new Thread(this::readForEver, "shardwright-feed");
    private volatile long heard;
    private volatile InputStream open;
    private String lastEventId;

    /** @param silence after which a stream is given up */
    public FeedReader(OperatorLine line, TableIntake intake, Random random, Duration silence) {
        this.line = line;
        this.intake = intake;
        this.random = random;
        this.silence = silence;
        thread.setDaemon(true);
    }

    public void start() {
        thread.start();
    }

    /** True as soon as the feed has brought a table. */
    public boolean awaitFirst(long timeout, TimeUnit unit) throws InterruptedException {
        return first.await(timeout, unit);
    }

    /** Called every second: closes a stream that has been silent for too long. */
    public void closeWhenSilent() {
        if (open != null && System.nanoTime() - heard > silence.toNanos()) {
            LOG.log(System.Logger.Level.WARNING, "the feed is silent for {0}: connecting again", silence);
            reconnect();
        }
    }

    /** Gives the stream up, so that the whole newest table comes again. Does nothing when there is none. */
    public void reconnect() {
        InputStream stream = open;
        if (stream != null) {
            try {
                stream.close();
            } catch (IOException e) {
                LOG.log(System.Logger.Level.DEBUG, "the old feed did not close cleanly", e);
            }
        }
    }

    @Override
    public void close() {
        stopped.countDown();
        reconnect();
    }

    private void readForEver() {
        long wait = FIRST_WAIT_MILLIS;
        try {
            while (stopped.getCount() > 0) {
                wait = readOnce() ? FIRST_WAIT_MILLIS : Math.min(2 * wait, LONGEST_WAIT_MILLIS);
                line.elsewhere();
                if (stopped.await(random.nextInt((int) wait), TimeUnit.MILLISECONDS)) {
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // closed
        }
    }

    /** True when the stream gave anything. */
    private boolean readOnce() throws InterruptedException {
        boolean any = false;
        try (InputStream stream = connect();
                BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
            heard = System.nanoTime();
            open = stream;
            if (stopped.getCount() == 0) {
                return any; // closed meanwhile: nobody would close this stream
            }
            ServerSentEvents events = new ServerSentEvents();
            for (String text = lines.readLine(); text != null && stopped.getCount() > 0; text = lines.readLine()) {
                heard = System.nanoTime();
                any = true;
                events.line(text).ifPresent(this::take);
            }
            LOG.log(System.Logger.Level.DEBUG, "the feed has ended");
        } catch (IOException e) {
            LOG.log(System.Logger.Level.DEBUG, "the feed broke: {0}", e.getMessage());
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "the feed met an error of its own and is opened again", e);
            return false; // a thread that ended here would never hear of a table again; this one waits longer each time
        } finally {
            open = null;
        }
        return any;
    }

    private InputStream connect() throws IOException, InterruptedException {
        CompletableFuture<HttpResponse<InputStream>> answer = line.stream(lastEventId);
        try {
            HttpResponse<InputStream> response = answer.get(silence.toMillis(), TimeUnit.MILLISECONDS);
            if (response.statusCode() != 200) {
                response.body().close();
                LOG.log(System.Logger.Level.WARNING, "the feed answers with status {0}", response.statusCode());
                throw new IOException("status " + response.statusCode());
            }
            return response.body();
        } catch (ExecutionException | TimeoutException e) {
            answer.cancel(true);
            throw new IOException("no feed: " + e.getMessage(), e);
        }
    }

    private void take(ServerSentEvents.Event event) {
        lastEventId = event.id();
        if (event.name().equals("table")) {
            intake.offer(event.data(), "feed");
            first.countDown();
        }
    }
}
