package io.shardwright.crds.server;

import static io.shardwright.crds.bucketmove.BucketMoveSpec.Intent.ABORT;
import static io.shardwright.crds.bucketmove.BucketMoveSpec.Intent.COMPLETE;
import static io.shardwright.crds.bucketmove.BucketMoveSpec.Intent.PAUSE;
import static io.shardwright.crds.bucketmove.BucketMoveSpec.Intent.REVERSE;
import static io.shardwright.crds.bucketmove.BucketMoveSpec.Intent.RUN;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionStatus;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Reason;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.servers.ControlPlane;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.SortedSet;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every change of intent in every standing of a move: what the rules mean, written a second time in Java, and what the API
 * server makes of them. The corpus shows what each refusal tells.
 */
@ExtendWith(InstalledApi.class)
class IntentChangesIT {
    private static final String NAMESPACE = "intents";

    private static KubernetesClient client;

    /** Where a move stands, as far as a rule about intents looks at it. */
    enum Standing {
        COPYING("Copying", Reason.NOT_SWITCHED, null, false),
        SWITCHING("Switching", Reason.PARTLY_SWITCHED, null, false),
        PAUSED_IN_THE_COPY("Paused", Reason.NOT_SWITCHED, null, false),
        ABORTING("Aborting", Reason.PARTLY_SWITCHED, null, false),
        ABORTED("Aborted", Reason.NOT_SWITCHED, null, false),
        PUBLISHING("Publishing", Reason.PARTLY_SWITCHED, null, false),
        REVERSIBLE("Reversible", Reason.SWITCHED, null, false),
        PAUSED_IN_THE_SOAK("Paused", Reason.SWITCHED, null, false),
        BLOCKED_AFTER_THE_SWITCH("Blocked", Reason.SWITCHED, null, false),
        REVERSING("Reversing", Reason.SWITCHED, false, false),
        REVERSAL_PAUSED("Paused", Reason.NOT_SWITCHED, false, false),
        REVERSAL_CLEANING_UP("Reversing", Reason.NOT_SWITCHED, true, false),
        REVERSAL_DECIDED_AGAINST_AND_CLEANING_UP("CleaningUp", Reason.SWITCHED, false, true),
        PARTLY_REVERSED_AND_CLEANING_UP("CleaningUp", Reason.PARTLY_SWITCHED, true, true),
        CLEANING_UP("CleaningUp", Reason.SWITCHED, null, true);

        private final String phase;
        private final Reason switched;
        private final Boolean reversalPassed;
        private final boolean passed;

        /** @param reversalPassed the reversal is past its point of no return; null: it has not begun */
        Standing(String phase, Reason switched, Boolean reversalPassed, boolean passed) {
            this.phase = phase;
            this.switched = switched;
            this.reversalPassed = reversalPassed;
            this.passed = passed;
        }

        boolean reversalIsPassed() {
            return Boolean.TRUE.equals(reversalPassed);
        }

        boolean everythingIsDecided() {
            return this == PUBLISHING || this == REVERSIBLE;
        }

        boolean hasSomethingToReverse() {
            return switch (this) {
                case COPYING, SWITCHING, PAUSED_IN_THE_COPY, ABORTING, ABORTED, CLEANING_UP -> false;
                case REVERSAL_DECIDED_AGAINST_AND_CLEANING_UP -> false;
                case PUBLISHING, REVERSIBLE, PAUSED_IN_THE_SOAK, BLOCKED_AFTER_THE_SWITCH -> true;
                case REVERSING, REVERSAL_PAUSED, REVERSAL_CLEANING_UP, PARTLY_REVERSED_AND_CLEANING_UP -> true;
            };
        }

        /** The rules in other words. */
        boolean allows(Intent from, Intent to) {
            if (from == to) {
                return true;
            }
            if (from == ABORT && !(everythingIsDecided() && (to == REVERSE || to == COMPLETE))) {
                return false;
            }
            return switch (to) {
                case PAUSE -> true;
                case RUN, COMPLETE -> !reversalIsPassed();
                case ABORT -> !reversalIsPassed() && !passed;
                case REVERSE -> hasSomethingToReverse();
            };
        }

        BucketMoveStatus status() {
            var reversal = reversalPassed == null
                    ? null
                    : new BucketMoveStatus.Reversal("Switching", reversalPassed ? true : null);
            return new BucketMoveStatus(
                    1L,
                    phase,
                    null,
                    null,
                    null,
                    null,
                    null,
                    null,
                    reversal,
                    passed ? true : null,
                    null,
                    null,
                    null,
                    List.of(Condition.of(
                            ConditionType.WRITES_SWITCHED,
                            ConditionStatus.of(switched == Reason.SWITCHED),
                            switched,
                            switched.meaning(),
                            1L,
                            Instant.parse("2026-03-01T10:00:00Z"))));
        }
    }

    @BeforeAll
    static void makeNamespace(ControlPlane plane) {
        client = plane.adminClient();
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(NAMESPACE)
                        .endMetadata()
                        .build())
                .create();
    }

    @ParameterizedTest
    @EnumSource(Standing.class)
    void theServerAllowsWhatTheRulesMean(Standing standing) {
        SortedSet<String> meant = new TreeSet<>();
        SortedSet<String> allowed = new TreeSet<>();
        for (Intent from : Intent.values()) {
            BucketMove stored = stored(from, standing);
            for (Intent to : Intent.values()) {
                String change = from.wire() + " -> " + to.wire();
                if (standing.allows(from, to)) {
                    meant.add(change);
                }
                if (takes(stored, to)) {
                    allowed.add(change);
                }
            }
        }

        assertThat(allowed).isEqualTo(meant);
    }

    private static BucketMove stored(Intent intent, Standing standing) {
        BucketMove move = Samples.move(
                NAMESPACE,
                (standing.name() + "-" + intent.wire()).toLowerCase(Locale.ROOT).replace('_', '-'));
        BucketMove created = intent == REVERSE
                ? reversed(move)
                : client.resource(with(intent, move)).create();
        created.setStatus(standing.status());
        return client.resource(created).updateStatus();
    }

    /** Only what is switched can be Reverse; after that its status can be any. */
    private static BucketMove reversed(BucketMove move) {
        BucketMove created = client.resource(move).create();
        created.setStatus(Standing.REVERSIBLE.status());
        created = client.resource(created).updateStatus();
        return client.resource(with(REVERSE, created)).update();
    }

    private static BucketMove with(Intent intent, BucketMove move) {
        move.setSpec(move.getSpec().withIntent(intent));
        return move;
    }

    private static boolean takes(BucketMove stored, Intent to) {
        BucketMove changed = new BucketMove();
        changed.setMetadata(stored.getMetadata());
        changed.setSpec(stored.getSpec().withIntent(to));
        try {
            client.resource(changed).dryRun().update();
            return true;
        } catch (KubernetesClientException refusal) {
            assertThat(refusal.getCode()).as(refusal.getMessage()).isEqualTo(422);
            assertThat(refusal.getMessage()).contains("spec.intent");
            return false;
        }
    }
}
