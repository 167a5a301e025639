package io.shardwright.dataplane.postgres.move.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.ShardedSchema;
import io.shardwright.dataplane.Throttling;
import io.shardwright.dataplane.postgres.move.throttle.Regulator.End;
import io.shardwright.dataplane.postgres.move.throttle.ShardReading.Slot;
import io.shardwright.dataplane.postgres.move.throttle.ShardReading.Standby;
import io.shardwright.dataplane.postgres.probe.Space;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.Scope;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** When a move waits, and how fast it copies, in a time of the test's own. One unit of log is written per second. */
class ThrottleUnknownTest {
    private static final long MIB = 1L << 20;
    private static final long SECOND_OF_LOG = 16 * MIB;
    private static final long MOST = 50 * MIB;

    private final Regulator regulator = new Regulator(task());
    private long now = TimeUnit.DAYS.toNanos(1);
    private long logEnd = 1_000 * MIB;

    /** The source has one instance, the target three; a capacity of 100 MiB is declared for it. */
    private static MoveTask task() {
        return new MoveTask(
                UUID.randomUUID(),
                "orders",
                shard("ds-0", "a"),
                shard("ds-4", "a", "b", "c").capacity(OptionalLong.of(100 * MIB)),
                new ShardedSchema(KeyType.INT64, new Bucketing(HashFunction.MD5, 100), List.of(), List.of()),
                Scope.buckets(17),
                Limits.defaults());
    }

    private static ShardAccess shard(String name, String... instances) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (String instance : instances) {
            endpoints.add(new Endpoint(instance, instance + "." + name, 5432));
        }
        return new ShardAccess(name, endpoints, "shop", null, null, null);
    }

    private static Optional<Slot> noSlot() {
        return Optional.empty();
    }

    private Standby standby(String name, double secondsBehind) {
        return new Standby(name, OptionalLong.of(logEnd - (long) (secondsBehind * SECOND_OF_LOG)));
    }

    private void pass(int seconds) {
        now += TimeUnit.SECONDS.toNanos(seconds);
        logEnd += seconds * SECOND_OF_LOG;
    }

    private void look(End end, double commitMs, long bytes, Optional<Slot> slot, Standby... standbys) {
        boolean target = end == End.TARGET;
        regulator.note(
                end,
                new ShardReading(
                        now,
                        now,
                        logEnd,
                        List.of(standbys),
                        target ? OptionalDouble.of(commitMs) : OptionalDouble.empty(),
                        target ? Optional.of(new Space(bytes, 10 * MIB)) : Optional.empty(),
                        slot));
    }

    private void lookAtSource() {
        look(End.SOURCE, 0, 0, noSlot());
    }

    private void lookAtTarget(Standby... standbys) {
        look(End.TARGET, 1, 50 * MIB, noSlot(), standbys);
    }

    /** A second passes, and both are looked at; all that have a name here are near. */
    private void next(String... near) {
        pass(1);
        lookAtSource();
        lookAtTarget(Stream.of(near).map(name -> standby(name, 0)).toArray(Standby[]::new));
    }

    private void calm() {
        behind(0);
    }

    private void behind(double seconds) {
        pass(1);
        lookAtSource();
        lookAtTarget(standby("b", 0), standby("c", seconds));
    }

    private Optional<String> stopped() {
        return regulator.stopped(now);
    }

    @Test
    void goesOnWhenAllIsKnownAndNear() {
        calm();
        assertThat(stopped()).isEmpty();
        assertThat(regulator.overflow()).isEmpty();
        assertThat(regulator.warning()).isEmpty();
    }

    @Test
    void stopsUntilBothShardsHaveBeenAsked() {
        assertThat(stopped().orElseThrow()).contains("ds-0", "ds-4", "not been asked");
        lookAtSource();
        assertThat(stopped().orElseThrow()).contains("ds-4").doesNotContain("ds-0");
        lookAtTarget(standby("b", 0), standby("c", 0));
        assertThat(stopped()).isEmpty();
    }

    @Test
    void stopsWhenOneOfThemHasNotAnsweredForMoreThanThreeIntervals() {
        calm();
        pass(3);
        lookAtSource();
        assertThat(stopped()).isEmpty();
        now++;
        regulator.failed(End.TARGET, "connection refused");
        assertThat(stopped().orElseThrow()).contains("ds-4", "nobody knows", "connection refused");
        lookAtTarget(standby("b", 0), standby("c", 0));
        assertThat(stopped()).isEmpty();
    }

    @Test
    void stopsWhenADeclaredStandbyDoesNotStream() {
        next("b");
        assertThat(stopped().orElseThrow()).contains("ds-4", "1 of 2 declared standbys does not stream");
        calm();
        assertThat(stopped()).isEmpty();
    }

    @Test
    void stopsWhenAStandbyHasNotSaidWhereItIs() {
        lookAtSource();
        lookAtTarget(standby("b", 0), new Standby("c", OptionalLong.empty()));
        assertThat(stopped().orElseThrow()).contains("standby c has not said");
    }

    /** Of what was never seen being written nobody knows when that was. */
    @Test
    void stopsWhenAStandbyIsBehindAllThatWasSeen() {
        behind(60);
        assertThat(stopped().orElseThrow()).contains("standby c is behind, and more than 512 MiB, nobody knows");
    }

    @Test
    void forgetsWhatAnEarlierMoverWasTold() {
        calm();
        regulator.forget();
        assertThat(stopped()).isPresent();
    }

    @ParameterizedTest
    @CsvSource({"4, false", "6, true"})
    void stopsAboveTheLimit(double seconds, boolean stops) {
        for (int i = 0; i < 10; i++) {
            calm();
        }
        behind(seconds);
        assertThat(stopped().isPresent()).isEqualTo(stops);
    }

    private void afterASecond(Standby other) {
        pass(1);
        lookAtSource();
        lookAtTarget(standby("b", 0), other);
    }

    /** As the server's own figure of lag would stay: a standby that says nothing more ages by our clock. */
    @Test
    void aStandbyThatStandsFallsBehindWithTheTime() {
        for (int i = 0; i < 10; i++) {
            calm();
        }
        Standby stalled = standby("c", 0);
        for (int i = 0; i < 5; i++) {
            afterASecond(stalled);
            assertThat(stopped()).isEmpty();
        }
        afterASecond(stalled);
        assertThat(stopped().orElseThrow()).contains("standby c is more than 5 s behind", "MiB");
    }

    @Test
    void goesOnAtHalfOfTheLimitOnly() {
        for (int i = 0; i < 10; i++) {
            calm();
        }
        behind(6);
        assertThat(stopped()).isPresent();
        behind(3);
        assertThat(stopped()).isPresent();
        behind(1);
        assertThat(stopped()).isEmpty();
    }

    @Test
    void anIdleLogMakesNobodyOld() {
        calm();
        Standby idle = new Standby("c", OptionalLong.of(logEnd - 24));
        for (int i = 0; i < 20; i++) {
            now += TimeUnit.SECONDS.toNanos(1);
            lookAtSource();
            lookAtTarget(standby("b", 0), new Standby("c", OptionalLong.of(logEnd)));
            assertThat(stopped()).isEmpty();
        }
        lookAtTarget(standby("b", 0), idle);
        assertThat(stopped()).isPresent(); // that it lacks something for 20 s is known
    }

    @Test
    void waitsForNobodyWhoHasBeenAwayForFiveMinutes() {
        calm();
        for (int i = 0; i < 299; i++) {
            next("b");
        }
        assertThat(stopped()).isPresent();
        next("b");
        next("b");
        assertThat(stopped()).isEmpty();
        next(); // the other one goes too, and that is news
        assertThat(stopped()).isPresent();
    }

    @Test
    void waitsForNobodyWhoHasBeenFarOffForFiveMinutes() {
        calm();
        for (int i = 0; i < 320; i++) {
            behind(3_600);
        }
        assertThat(stopped()).isEmpty();
        behind(6);
        assertThat(stopped()).isPresent();
    }

    @Test
    void aBreachHalvesTheRateAndCalmAddsToItStepByStep() {
        for (int i = 0; i < 10; i++) {
            calm();
        }
        assertThat(regulator.bytesPerSecond()).isEqualTo(MOST);
        behind(6);
        behind(6);
        assertThat(regulator.bytesPerSecond()).isEqualTo(MOST / 2.0);
        calm();
        assertThat(regulator.bytesPerSecond()).isCloseTo(MOST * 0.55, within(1.0));
        calm();
        assertThat(regulator.bytesPerSecond()).isCloseTo(MOST * 0.6, within(1.0));
        for (int i = 0; i < 20; i++) {
            calm();
        }
        assertThat(regulator.bytesPerSecond()).isEqualTo(MOST);
    }

    @Test
    void slowCommitsOnTheTargetHalveTheRateAndStopNothing() {
        calm();
        for (int i = 0; i < 30; i++) {
            look(End.TARGET, 150, 50 * MIB, noSlot(), standby("b", 0), standby("c", 0));
        }
        assertThat(regulator.bytesPerSecond()).isEqualTo(MOST / 64.0);
        assertThat(stopped()).isEmpty();
        assertThat(regulator.warning().orElseThrow()).contains("ds-4", "slowed down");
    }

    @Test
    void oneSlowCommitIsNoSlowDisk() {
        calm();
        calm();
        look(End.TARGET, 5_000, 50 * MIB, noSlot(), standby("b", 0), standby("c", 0));
        assertThat(regulator.bytesPerSecond()).isEqualTo(MOST);
    }

    @Test
    void stopsWhenTheTargetIsFull() {
        calm();
        look(End.TARGET, 1, 91 * MIB, noSlot(), standby("b", 0), standby("c", 0));
        assertThat(stopped().orElseThrow()).contains("ds-4", "holds 91 MiB", "10 MiB", "capacity is 100 MiB");
    }

    @ParameterizedTest
    @CsvSource({"49, false, false", "50, true, false", "79, true, false", "80, true, true"})
    void warnsOfAHalfFullSlotAndGivesTheMoveUpAtFourFifths(int percent, boolean warns, boolean ends) {
        calm();
        look(End.SOURCE, 0, 0, Optional.of(new Slot(percent * MIB, OptionalLong.of(100 * MIB))));
        assertThat(regulator.warning().isPresent()).isEqualTo(warns);
        assertThat(regulator.overflow().isPresent()).isEqualTo(ends);
        assertThat(stopped()).as("the sooner it is copied the better").isEmpty();
        regulator.overflow().ifPresent(fault -> {
            assertThat(fault.failure().curable()).isFalse();
            assertThat(fault.getMessage()).contains("ds-0", "80 %", "100 MiB");
        });
    }

    @Test
    void aServerWithoutALimitOfItsOwnHasOursForASlot() {
        calm();
        look(End.SOURCE, 0, 0, Optional.of(new Slot(8_191 * MIB, OptionalLong.empty())));
        assertThat(regulator.overflow()).isEmpty();
        look(End.SOURCE, 0, 0, Optional.of(new Slot(8_192 * MIB, OptionalLong.empty())));
        assertThat(regulator.overflow()).isPresent();
    }

    @Test
    void theDefaultsAreThoseOfThePolicy() {
        assertThat(Throttling.DEFAULTS.pauseAboveLag()).hasSeconds(5);
        assertThat(Throttling.DEFAULTS.maxBytesPerSecond()).isEqualTo(MOST);
        assertThat(Throttling.DEFAULTS.slotCapBytes()).isEqualTo(10_240 * MIB);
    }
}
