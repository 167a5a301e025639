package io.shardwright.controllers.shardcluster;

import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.shardcluster.Shard;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.dataplane.ShardSight;
import io.shardwright.meaning.Clusters;
import io.shardwright.planning.moves.MovePhase;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.KeyType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What must hold before anything is done to a cluster, in the order in which people are told. */
final class ClusterChecks {
    /** Asked in this order; the first refusal is the one that is shown. */
    static final List<Function<ClusterObservation, Optional<ClusterPlan.Decision>>> ALL = List.of(
            ClusterChecks::shardingIsKept,
            ClusterChecks::endpointsAreDistinct,
            ClusterChecks::movesKeepTheirShards,
            ClusterChecks::secretsAreReadable,
            ClusterChecks::shardsWereLookedAt,
            ClusterChecks::shardsAreUsable,
            ClusterChecks::databasesAreTheirShards,
            ClusterChecks::schemasAreEqual);

    private ClusterChecks() {}

    /** The API server keeps these fields of an object; one that was deleted and made again could have others. */
    static Optional<ClusterPlan.Decision> shardingIsKept(ClusterObservation seen) {
        ShardClusterSpec spec = seen.cluster().getSpec();
        Bucketing declared = Clusters.bucketing(spec);
        return seen.table().flatMap(table -> {
            Bucketing placed = table.bucketing();
            if (declared.buckets() != placed.buckets()) {
                return shardingChanged("buckets", declared.buckets(), placed.buckets());
            }
            if (declared.hash() != placed.hash()) {
                return shardingChanged(
                        "hash", declared.hash().wire(), placed.hash().wire());
            }
            KeyType keyType = Clusters.keyType(spec);
            return keyType == table.keyType()
                    ? Optional.empty()
                    : shardingChanged("keyType", keyType.wire(), table.keyType().wire());
        });
    }

    private static Optional<ClusterPlan.Decision> shardingChanged(String field, Object declared, Object placed) {
        return refuse(
                ConditionType.ACCEPTED,
                Reason.SHARDING_CHANGED,
                "spec.sharding." + field + ": " + declared + ", but the data is placed by " + placed,
                "put " + placed + " back; it cannot change while the databases hold data placed by it");
    }

    static Optional<ClusterPlan.Decision> endpointsAreDistinct(ClusterObservation seen) {
        Map<String, String> owners = new HashMap<>();
        for (Shard shard : seen.cluster().getSpec().shards()) {
            for (Shard.Instance instance : shard.instances()) {
                String endpoint = instance.host() + ":" + instance.port();
                String other = owners.putIfAbsent(endpoint, shard.name());
                if (other != null && !other.equals(shard.name())) {
                    return refuse(
                            ConditionType.ACCEPTED,
                            Reason.DUPLICATE_ENDPOINT,
                            "spec.shards: " + other + " and " + shard.name() + " both name " + endpoint,
                            "give each shard its own servers");
                }
            }
        }
        return Optional.empty();
    }

    /** The API server keeps a shard that owns buckets; the target of a move may own none yet. */
    static Optional<ClusterPlan.Decision> movesKeepTheirShards(ClusterObservation seen) {
        for (ClusterObservation.ActiveMove move : seen.moves()) {
            for (String shard : List.of(move.from(), move.to())) {
                if (move.phase() != MovePhase.PENDING
                        && seen.cluster().getSpec().shard(shard).isEmpty()) {
                    return refuse(
                            ConditionType.ACCEPTED,
                            Reason.SHARD_IN_USE,
                            "spec.shards: " + shard + " has left the list while BucketMove " + move.name()
                                    + " moves buckets from " + move.from() + " to " + move.to(),
                            "put " + shard
                                    + " back into spec.shards until the move has ended; it can end, or be aborted,"
                                    + " only with both shards in the list");
                }
            }
        }
        return Optional.empty();
    }

    static Optional<ClusterPlan.Decision> secretsAreReadable(ClusterObservation seen) {
        return seen.access()
                .unreadable()
                .flatMap(message -> refuse(
                        ConditionType.ACCEPTED,
                        Reason.SECRET_UNREADABLE,
                        "spec.access: " + message,
                        "create or correct the Secret; nothing else is needed"));
    }

    static Optional<ClusterPlan.Decision> shardsWereLookedAt(ClusterObservation seen) {
        if (seen.sight().isEmpty()) {
            return Optional.of(new ClusterPlan.Wait(Reason.OBSERVING, "the shards are being looked at"));
        }
        return Optional.empty();
    }

    static Optional<ClusterPlan.Decision> shardsAreUsable(ClusterObservation seen) {
        List<ClusterPlan.Refuse> unfit = seen.sight().orElseThrow().shards().values().stream()
                .map(ClusterChecks::unusable)
                .flatMap(Optional::stream)
                .map(ClusterPlan.Refuse.class::cast)
                .toList();
        String all = unfit.stream().map(ClusterPlan.Refuse::message).collect(Collectors.joining("; "));
        return unfit.stream()
                .findFirst()
                .map(first -> new ClusterPlan.Refuse(first.about(), first.reason(), all, first.nextAction()));
    }

    /** What keeps one shard from being used; empty when nothing does. */
    static Optional<ClusterPlan.Decision> unusable(ShardSight sight) {
        return problem(sight).flatMap(problem -> {
            Verdict verdict = verdict(problem.kind());
            return refuse(
                    verdict.about(),
                    verdict.reason(),
                    sight.shard() + ": " + problem.message(),
                    verdict.reason().meaning());
        });
    }

    /** A damaged fence is repaired, not refused. */
    static Optional<ShardSight.Problem> problem(ShardSight sight) {
        return sight.problems().stream()
                .filter(problem -> problem.kind() != ShardSight.Problem.Kind.FENCE_DAMAGED)
                .findFirst();
    }

    /** Whether its fence rows are known, whatever else is wrong with it; without a fence there are none. */
    static boolean isRead(ShardSight sight) {
        boolean newer =
                sight.problems().stream().anyMatch(problem -> problem.kind() == ShardSight.Problem.Kind.FENCE_NEWER);
        return !newer && (sight.fenceVersion() > 0 || problem(sight).isEmpty());
    }

    private record Verdict(ConditionType about, Reason reason) {}

    private static Verdict verdict(ShardSight.Problem.Kind kind) {
        return switch (kind) {
            case UNREACHABLE -> new Verdict(ConditionType.REACHABLE, Reason.UNREACHABLE_SHARD);
            case ACCESS_DENIED -> new Verdict(ConditionType.REACHABLE, Reason.ACCESS_DENIED);
            case NO_PRIMARY -> new Verdict(ConditionType.REACHABLE, Reason.NO_PRIMARY);
            case UNSUPPORTED_VERSION -> new Verdict(ConditionType.REACHABLE, Reason.UNSUPPORTED_VERSION);
            case SETTINGS -> new Verdict(ConditionType.FENCE_INSTALLED, Reason.SETTINGS_UNFIT);
            case PRIVILEGES -> new Verdict(ConditionType.FENCE_INSTALLED, Reason.PRIVILEGE_MISSING);
            case TABLE_MISSING -> new Verdict(ConditionType.FENCE_INSTALLED, Reason.TABLE_MISSING);
            case SHARD_KEY -> new Verdict(ConditionType.FENCE_INSTALLED, Reason.SHARD_KEY_NOT_IN_PRIMARY_KEY);
            case SCHEMA_UNSUPPORTED -> new Verdict(ConditionType.FENCE_INSTALLED, Reason.SCHEMA_UNSUPPORTED);
            case FENCE_NEWER -> new Verdict(ConditionType.FENCE_INSTALLED, Reason.FENCE_NEWER);
            case FENCE_DAMAGED -> new Verdict(ConditionType.FENCE_INSTALLED, Reason.FENCE_DAMAGED);
        };
    }

    /** Observed state wins over spec: a name that leads to another database is not that shard. */
    static Optional<ClusterPlan.Decision> databasesAreTheirShards(ClusterObservation seen) {
        ShardIdentities identities = new ShardIdentities(seen);
        return seen.sight().orElseThrow().shards().values().stream()
                .map(identities::fault)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /** The hash covers the fence's own triggers, so only shards with the same fence can be compared. */
    static Optional<ClusterPlan.Decision> schemasAreEqual(ClusterObservation seen) {
        Map<Integer, ShardSight> first = new HashMap<>();
        for (ShardSight sight : seen.sight().orElseThrow().shards().values()) {
            ShardSight other = first.putIfAbsent(sight.fenceVersion(), sight);
            if (other != null
                    && sight.usable()
                    && other.usable()
                    && !other.schemaHash().equals(sight.schemaHash())) {
                return refuse(
                        ConditionType.FENCE_INSTALLED,
                        Reason.SCHEMA_DIFFERS,
                        "the sharded tables of " + other.shard() + " and " + sight.shard() + " are defined differently",
                        Reason.SCHEMA_DIFFERS.meaning());
            }
        }
        return Optional.empty();
    }

    static Optional<ClusterPlan.Decision> refuse(
            ConditionType about, Reason reason, String message, String nextAction) {
        return Optional.of(new ClusterPlan.Refuse(about, reason, message, nextAction));
    }
}
