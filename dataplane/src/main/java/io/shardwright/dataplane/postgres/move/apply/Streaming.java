package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.fence.FenceInstallation;
import io.shardwright.dataplane.postgres.move.stream.SourceStream;
import io.shardwright.dataplane.postgres.move.tables.MovedTables;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.dataplane.postgres.move.truth.MoverStep;
import io.shardwright.routing.Scope;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.postgresql.replication.LogSequenceNumber;

/** The running stream of a move: the applier on its thread, and the pulse on another. Ends as a whole. */
public final class Streaming implements AutoCloseable {
    /** How often heartbeats are sent. */
    public enum Pace {
        /** what a switch may need soon is measured all the time */
        EAGER(100),
        /** nothing is due; the source need not keep more of its log than this */
        LEISURELY(1_000);

        private final long millis;

        Pace(long millis) {
            this.millis = millis;
        }
    }

    private final Incarnation incarnation;
    private final MovedTables tables;
    private final Set<Scope> importing = ConcurrentHashMap.newKeySet();
    private final TouchedKeys touched = new TouchedKeys();
    private final SourceStream stream;
    private final Pulse pulse;
    private final GroupApplier applier;
    private final ApplyLoop loop;
    private final Thread thread;
    private final ScheduledExecutorService beats;
    private final BiConsumer<Streaming, MoverFault> ended;
    private final AtomicReference<MoverFault> fault = new AtomicReference<>();
    private volatile boolean closed;
    private volatile boolean quiet;

    /** @param ended told once when the stream ends by a fault, on one of its threads */
    public static Streaming start(
            Incarnation incarnation, StreamStart begin, Pace pace, BiConsumer<Streaming, MoverFault> ended)
            throws MoverFault {
        Streaming streaming = incarnation.step(MoverStep.START_STREAM, () -> new Streaming(incarnation, begin, ended));
        streaming.run(pace);
        return streaming;
    }

    private Streaming(Incarnation incarnation, StreamStart begin, BiConsumer<Streaming, MoverFault> ended)
            throws MoverFault {
        this.incarnation = incarnation;
        this.ended = ended;
        tables = begin.tables();
        LogSequenceNumber from = begin.from();
        importing.addAll(begin.scopes());
        stream = SourceStream.open(incarnation.source(), incarnation.slot(), FenceInstallation.PUBLICATION, from);
        try {
            pulse = new Pulse(incarnation, touched);
        } catch (MoverFault e) {
            stream.close();
            throw e;
        }
        try {
            applier = new GroupApplier(
                    incarnation,
                    importing,
                    from,
                    tables.overrides().tombstones(incarnation.source().shard()));
            TransactionAssembler assembler = new TransactionAssembler(incarnation.task(), tables, importing, touched);
            loop = new ApplyLoop(incarnation, stream, assembler, applier, pulse);
        } catch (MoverFault e) {
            stream.close();
            pulse.close();
            throw e;
        }
        String name = "applier " + incarnation.moveId();
        thread = Thread.ofPlatform().daemon().name(name).unstarted(this::apply);
        beats = Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform()
                .daemon()
                .name("pulse " + incarnation.moveId())
                .factory());
    }

    private void run(Pace pace) {
        thread.start();
        beats.scheduleWithFixedDelay(this::beat, 0, pace.millis, TimeUnit.MILLISECONDS);
    }

    private void apply() {
        MoverFault end;
        try {
            end = loop.run();
        } catch (RuntimeException | Error e) {
            end = MoverFault.unexpected(e);
        }
        fail(end);
    }

    private void beat() {
        if (quiet) {
            return;
        }
        try {
            pulse.beat();
        } catch (MoverFault e) {
            fail(e);
        }
    }

    /** Ends it by a fault, whoever found that; the first one counts. */
    public void fail(MoverFault end) {
        if (!fault.compareAndSet(null, end)) {
            return;
        }
        loop.fail(end);
        boolean unexpected = !closed;
        close(); // whoever is told may need the rows that the applier has locked
        if (unexpected) {
            ended.accept(this, end);
        }
    }

    public boolean failed() {
        return fault.get() != null;
    }

    public Incarnation incarnation() {
        return incarnation;
    }

    public MovedTables tables() {
        return tables;
    }

    /** Buckets whose rows still travel. */
    public Set<Scope> importing() {
        return Set.copyOf(importing);
    }

    public Pulse pulse() {
        return pulse;
    }

    public TouchedKeys touched() {
        return touched;
    }

    /** How far the target has what concerns it; keepalives do not count. */
    public LogSequenceNumber reached() {
        return loop.reached();
    }

    public void await(Switchpoint next) {
        loop.await(next);
        MoverFault end = fault.get();
        if (end != null) {
            loop.fail(end);
        }
    }

    /** No heartbeats while it is true: during a hold nothing competes with the switch. */
    public void quiet(boolean wanted) {
        quiet = wanted;
    }

    /** Ends threads and sessions of the stream, whatever they wait for; a second call does nothing. */
    @Override
    public void close() {
        closed = true;
        loop.fail(MoverFault.closed());
        beats.shutdownNow();
        stream.close();
        pulse.close();
        applier.close();
    }
}
