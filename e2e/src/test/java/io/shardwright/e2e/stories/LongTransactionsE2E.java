package io.shardwright.e2e.stories;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.Durations;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.crds.shardpolicy.ShardPolicyStatus;
import io.shardwright.e2e.demo.PlanDesk;
import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.e2e.shop.LongTransactions;
import io.shardwright.e2e.shop.LongTransactions.Inside;
import io.shardwright.e2e.shop.LongTransactionsReport;
import io.shardwright.e2e.shop.Shop;
import io.shardwright.e2e.shop.ToldStatuses;
import io.shardwright.e2e.steps.StepSite;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.ledger.LedgerLine;
import io.shardwright.stage.ledger.Outcome;
import io.shardwright.stage.ledger.WriteWaits;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.shop.ShopLayout;
import io.shardwright.stage.shop.ShopTopology;
import io.shardwright.stage.truth.OwnerWatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Case 4, scenario 10: half of a shard's buckets move under load while transactions of three seconds come and go on them, and one
 * of thirty. Three of them enter their bucket at the worst moment, when its switch has begun and its writers are not drained
 * yet. The move goes through in the gaps, says who is in its way, and no client waits for longer than a drain may take.
 *
 * <p>Waits are measured, told beside their goal and not asserted, as every time of a real clock.
 */
@Tag("long")
@Tag("alone")
class LongTransactionsE2E {
    private static final int OPERATIONS_PER_SECOND = 240;
    private static final String SOURCE = "ds-0";
    private static final String BEFORE_THE_DRAIN = "before:LOCK_TARGET";
    private static final Duration SHORT = Duration.ofSeconds(3);
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration GAP = Duration.ofSeconds(2);
    private static final Duration LIMIT = Duration.ofMinutes(4);

    /** Nobody may be left waiting. */
    private static final double EVERY_WAIT_ENDS_MS = 30_000;

    @TempDir
    private Path directory;

    private Stage stage;
    private Shop shop;
    private PlanDesk desk;
    private StepSite steps;
    private LiveLoad load;
    private OwnerWatch owners;
    private ToldStatuses told;
    private LongTransactions transactions;
    private List<Integer> moving;
    private String move;

    @BeforeEach
    void givenALiveShardWithThreeHundredWritesASecond() {
        stage = Stage.builder()
                .layout(new ShopLayout(16, 1, 4, 10))
                .spares(1)
                .durable()
                .start();
        shop = new Shop(stage);
        desk = new PlanDesk(stage);
        steps = new StepSite(stage, directory);
        steps.start();
        stage.applyTopology(1).orThrow();
        desk.applyPolicy("0s");
        shop.awaitReady();
        load = LiveLoad.start(stage, new LiveLoad.Shape(2, 2, OPERATIONS_PER_SECOND));
        owners = stage.watchOwners();
        told = ToldStatuses.of(stage);
    }

    @AfterEach
    void close() {
        Stream.of(transactions, told, owners).filter(part -> part != null).forEach(LongTransactionsE2E::close);
        if (load != null) {
            load.stop();
        }
        if (stage != null) {
            stage.close();
        }
    }

    private static void close(AutoCloseable part) {
        try {
            part.close();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aMoveGoesThroughTheGapsBetweenLongTransactionsAndNamesWhoIsInItsWay() throws SQLException {
        // when a second shard joins, and transactions come and go on the buckets that shall move there
        Instant approved = approvePlanForASecondShard();
        transactions.everySoOften("report", SHORT, GAP);
        Inside monthEnd = enterAtTheDrain("month-end", LONG);

        // then the move says who left no gap at the drain, then whom it waits for, and switches nothing meanwhile
        Set<Integer> switched = switched();
        BucketMoveStatus drained = awaitTold(monthEnd, "DrainTimeout");
        BucketMoveStatus waiting = awaitTold(monthEnd, "AwaitingGate");
        assertThat(switched()).isEqualTo(switched);
        assertThat(monthEnd.end()).as("it is open still").isNotDone();
        assertThat(answered(monthEnd.bucket(), monthEnd.entered(), Instant.now()))
                .as("writers go on beside it")
                .isPositive();
        assertThat(drained.nextAction()).contains(monthEnd.session());
        assertThat(waiting.nextAction()).contains("end the transactions of the sessions in blockedBy");
        assertThat(ToldStatuses.blocker(waiting, monthEnd.session()).orElseThrow())
                .satisfies(blocker -> assertThat(Instant.parse(blocker.since())).isAfter(approved))
                .satisfies(blocker -> assertThat(blocker.reason()).contains("a transaction open on the buckets"));

        // and the same of each that comes later
        List<Inside> met = new ArrayList<>(List.of(monthEnd));
        for (String application : List.of("late-report", "later-report")) {
            Inside late = enterAtTheDrain(application, SHORT);
            awaitTold(late, "DrainTimeout");
            met.add(late);
        }

        // and it ends in a gap, with every write where it belongs
        stage.await("all buckets to be switched", LIMIT, () -> shop.isTrue(move, "WritesSwitched"));
        Instant over = Instant.now().plusSeconds(1);
        shop.awaitPhase(move, LIMIT, "Succeeded");
        transactions.finish();
        load.stop();
        assertThat(switched()).containsExactlyElementsOf(moving);
        judge(approved, over, met);
    }

    private Instant approvePlanForASecondShard() {
        stage.applyTopology(2).orThrow();
        ShardPolicyStatus.Plan plan = desk.proposed();
        moving = plan.moves().stream()
                .flatMap(one -> one.buckets().stream())
                .sorted()
                .toList();
        assertThat(plan.moves())
                .singleElement()
                .satisfies(one -> assertThat(one.from()).isEqualTo(SOURCE));
        load.aimAt(moving);
        transactions = new LongTransactions(shop, SOURCE, moving, directory.resolve("long-transactions.tsv"));
        Instant approved = Instant.now();
        desk.approve(plan);
        stage.await("the move of the plan", LIMIT, () -> moves().size() == 1);
        move = moves().get(0).getMetadata().getName();
        return approved;
    }

    private List<BucketMove> moves() {
        return stage.client()
                .resources(BucketMove.class)
                .inNamespace(ShopTopology.NAMESPACE)
                .list()
                .getItems();
    }

    /** The gate was open, and the writers of the next bucket are not drained yet. */
    private Inside enterAtTheDrain(String application, Duration length) throws SQLException {
        steps.arm(BEFORE_THE_DRAIN);
        steps.awaitOpen(BEFORE_THE_DRAIN);
        Inside inside = transactions.enter(application, length);
        steps.letGo(BEFORE_THE_DRAIN);
        return inside;
    }

    private BucketMoveStatus awaitTold(Inside inside, String reason) {
        stage.await(
                inside.session() + " to be named by " + reason,
                LIMIT,
                () -> told.naming(inside.session(), reason).isPresent());
        return told.naming(inside.session(), reason).orElseThrow();
    }

    private Set<Integer> switched() {
        return new TreeSet<>(stage.truth().owned().get("ds-1"));
    }

    /** Writes that were begun and acknowledged in this time. */
    private long answered(int bucket, Instant from, Instant to) {
        return load.ledger().stream()
                .filter(line -> line.outcome() == Outcome.ACKNOWLEDGED)
                .filter(line -> stage.layout().bucketOf(line.entry().tenant()) == bucket)
                .filter(line -> line.entry().intendedMicros() >= ChronoUnit.MICROS.between(Instant.EPOCH, from))
                .filter(line -> line.endMicros() <= ChronoUnit.MICROS.between(Instant.EPOCH, to))
                .count();
    }

    /** A drain that takes too long is ended by the server, not by a clock of the mover. */
    private long endedByTheServer() {
        try (Stream<String> log = Files.lines(stage.shard(SOURCE).server().log())) {
            return log.filter(line -> line.contains("canceling statement due to statement timeout"))
                    .count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void judge(Instant approved, Instant over, List<Inside> met) {
        List<LedgerLine> heard = load.ledger();
        AuditReport audit = shop.audit(
                () -> Stream.concat(heard.stream(), transactions.ledger().stream())
                        .toList(),
                LedgerAudit.Copies.NONE);
        List<Integer> stayed = IntStream.range(0, stage.layout().buckets())
                .boxed()
                .filter(bucket -> !moving.contains(bucket))
                .toList();
        var report = LongTransactionsReport.of(
                shop.move(move).getStatus(),
                new LongTransactionsReport.Waits(new WriteWaits(heard, stage.layout()::bucketOf), approved, over),
                moving,
                stayed,
                met,
                Durations.parse(desk.policy().getSpec().rebalancing().drainTimeout()),
                audit,
                new LongTransactionsReport.Counts(load.counters().replays(), transactions.begun(), endedByTheServer()));
        report.tell(System.out);
        report.write(stage.checkout().root().resolve("target/long-transactions/report.json"));

        assertThat(audit.findings()).isEmpty();
        assertThat(audit.refused()).isZero();
        assertThat(audit.unknown()).isZero();
        assertThat(load.counters().applicationErrors().total()).isZero();
        assertThat(report.failedDrains()).isGreaterThanOrEqualTo(met.size());
        assertThat(report.longestClientWaitMs().value()).isLessThan(EVERY_WAIT_ENDS_MS);
        assertThat(owners.violations()).isEmpty();
        assertThat(owners.passes()).isPositive();
        assertThat(stage.truth().leftovers(ShardDatabase.DATABASE, Duration.ofSeconds(10)))
                .isEmpty();
    }
}
