package io.shardwright.e2e.demo;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.e2e.load.Counters;
import io.shardwright.e2e.load.LiveLoad;
import io.shardwright.stage.Stage;
import io.shardwright.stage.ledger.AuditReport;
import io.shardwright.stage.ledger.LedgerAudit;
import io.shardwright.stage.ledger.LedgerLine;
import io.shardwright.stage.ledger.StoredRow;
import io.shardwright.stage.ledger.WriteWaits;
import io.shardwright.stage.shop.ShardDatabase;
import io.shardwright.stage.truth.OwnerWatch;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What the main job left behind, counted from the databases and the ledgers; statuses only add what they alone know. */
public final class MainJobResult {
    private static final Duration AFTER_SWITCH = Duration.ofSeconds(1);
    private static final Duration SESSIONS_END = Duration.ofSeconds(10);

    private final Stage stage;
    private final List<BucketMove> moves;
    private final Map<String, Long> movedFrom;
    private final LiveLoad load;
    private final OwnerWatch owners;
    private final Duration took;
    private final Map<String, TreeSet<Integer>> owned;
    private final AuditReport audit;
    private final WriteWaits waits;

    /** @param movedFrom by the fence rows at the end of the moves: how many buckets each shard has given away */
    MainJobResult(
            Stage stage,
            List<BucketMove> moves,
            Map<String, Long> movedFrom,
            LiveLoad load,
            OwnerWatch owners,
            Duration took) {
        this.stage = stage;
        this.moves = moves;
        this.movedFrom = movedFrom;
        this.load = load;
        this.owners = owners;
        this.took = took;
        owned = stage.truth().owned();
        List<LedgerLine> ledger = load.ledger();
        audit = new LedgerAudit(this::ownerOf, LedgerAudit.Copies.NONE)
                .audit(ledger, StoredRow.read(stage.databases().all()));
        waits = new WriteWaits(ledger, stage.layout()::bucketOf);
    }

    private String ownerOf(long tenant) {
        int bucket = stage.layout().bucketOf(tenant);
        return owned.entrySet().stream()
                .filter(shard -> shard.getValue().contains(bucket))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse("nobody");
    }

    public AuditReport audit() {
        return audit;
    }

    public Counters counters() {
        return load.counters();
    }

    /** Moments at which a bucket had two owners. */
    public List<String> twoOwners() {
        return owners.violations();
    }

    private int operatorRestarts() {
        return stage.operator(0).restarts();
    }

    public long ownerSamples() {
        return owners.passes();
    }

    /** Slots, records, rows and sessions that a finished move should have taken away. */
    public List<String> leftovers() {
        return stage.truth().leftovers(ShardDatabase.DATABASE, SESSIONS_END);
    }

    /** Acknowledged writes per second over the whole time of the load. */
    public double writesPerSecond() {
        return waits.perSecond();
    }

    /**
     * @param reversal of the second chapter
     * @param isolatedKey of the third one, null where it was not played
     */
    public DemoReport report(DemoReport.Reversal reversal, DemoReport.IsolatedKey isolatedKey) {
        Counters counters = counters();
        List<DemoReport.Switch> switches = switches();
        List<Double> errors = switches.stream()
                .map(one -> Math.abs(one.actualMs() - one.predictedMs()))
                .toList();
        DemoReport.Quantiles error = DemoReport.Quantiles.of(errors);
        return new DemoReport(
                (int) movedFrom().values().stream().mapToInt(Integer::intValue).sum(),
                movedFrom(),
                new DemoReport.Writes(
                        audit.acknowledged(), audit.lost(), audit.duplicated(), audit.refused(), audit.unknown()),
                new DemoReport.WritesPerMovedBucket(leastWrites()),
                new DemoReport.ApplicationErrors(
                        Counters.Errors.count(counters.applicationErrors().autocommit()),
                        Counters.Errors.count(counters.applicationErrors().transaction())),
                new TreeMap<>(counters.applicationErrors().byState()),
                counters.replays(),
                operatorRestarts(),
                DemoReport.Quantiles.of(
                        switches.stream().map(DemoReport.Switch::actualMs).toList()),
                new DemoReport.PredictionError(error.p50(), error.max()),
                switches,
                DemoReport.Quantiles.of(longestWaits(move -> move.getSpec().buckets())),
                DemoReport.Quantiles.of(
                        longestWaits(move -> owned.get(move.getSpec().from()))),
                reversal,
                isolatedKey,
                took.toMillis() / 1000.0);
    }

    private Map<String, Integer> movedFrom() {
        return movedFrom.entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey, entry -> entry.getValue().intValue(), Integer::sum, TreeMap::new));
    }

    private List<DemoReport.Switch> switches() {
        var switches = new ArrayList<DemoReport.Switch>();
        for (BucketMove move : moves) {
            for (BucketMoveStatus.Switch one : move.getStatus().switches()) {
                switches.add(new DemoReport.Switch(
                        one.bucket(), move.getSpec().from(), move.getSpec().to(), one.predictedMs(), one.actualMs()));
            }
        }
        return List.copyOf(switches);
    }

    private long leastWrites() {
        return moves.stream()
                .flatMap(move -> move.getSpec().buckets().stream()
                        .map(bucket -> waits.acknowledged(bucket, entered(move, "Preparing"), ended(move))))
                .mapToLong(Long::longValue)
                .min()
                .orElse(0);
    }

    /** Of each of these buckets: the longest wait of a write while the buckets of its move were being switched. */
    private List<Double> longestWaits(Function<BucketMove, Collection<Integer>> buckets) {
        var longest = new ArrayList<Double>();
        for (BucketMove move : moves) {
            Instant from = entered(move, "Switching");
            Instant to = entered(move, "Publishing").plus(AFTER_SWITCH);
            buckets.apply(move)
                    .forEach(bucket -> waits.longestMs(bucket, from, to).ifPresent(longest::add));
        }
        return longest;
    }

    /** A status keeps the last transitions only; where the wanted one is gone the window begins at the oldest that is left. */
    private static Instant entered(BucketMove move, String phase) {
        var history = move.getStatus().history();
        return history.stream()
                .filter(transition -> transition.to().equals(phase))
                .findFirst()
                .or(() -> history.stream().findFirst())
                .map(transition -> Instant.parse(transition.at()))
                .orElseThrow(() ->
                        new IllegalStateException(move.getMetadata().getName() + " has no history: it never began"));
    }

    private static Instant ended(BucketMove move) {
        var history = move.getStatus().history();
        return Instant.parse(history.get(history.size() - 1).at());
    }
}
