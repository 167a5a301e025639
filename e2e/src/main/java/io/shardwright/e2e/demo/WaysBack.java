package io.shardwright.e2e.demo;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopTopology;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Tells a person, once for each move, what can be done with it while it soaks, and how it has ended. */
final class WaysBack implements ResourceEventHandler<BucketMove> {
    private static final Set<String> TOLD = Set.of("Reversible", "Succeeded", "Reversed", "Aborted", "Failed");

    private final Narrator narrator;
    private final Map<String, String> phases = new HashMap<>();

    private WaysBack(Narrator narrator) {
        this.narrator = narrator;
    }

    /** From now on, until the stage ends. */
    static void tell(Stage stage, Narrator narrator) {
        stage.client()
                .resources(BucketMove.class)
                .inNamespace(ShopTopology.NAMESPACE)
                .inform(new WaysBack(narrator));
    }

    @Override
    public void onAdd(BucketMove move) {
        seen(move);
    }

    @Override
    public void onUpdate(BucketMove before, BucketMove move) {
        seen(move);
    }

    @Override
    public void onDelete(BucketMove move, boolean finalStateUnknown) {
        phases.remove(move.getMetadata().getName());
    }

    private void seen(BucketMove move) {
        BucketMoveStatus status = move.getStatus();
        if (status == null || status.phase() == null || !TOLD.contains(status.phase())) {
            return;
        }
        String name = move.getMetadata().getName();
        if (status.phase().equals(phases.put(name, status.phase()))) {
            return;
        }
        narrator.say("%s is %s", name, status.phase());
        if (status.phase().equals("Reversible")) {
            narrator.say(
                    "  %s owns its buckets, and %s keeps their rows until %s. To take it back, or to end that now:",
                    move.getSpec().to(), move.getSpec().from(), status.reversibleUntil());
            narrator.say("  %s", intent(name, "Reverse"));
            narrator.say("  %s", intent(name, "Complete"));
        }
    }

    private static String intent(String move, String intent) {
        return "kubectl -n " + ShopTopology.NAMESPACE + " patch bm " + move
                + " --type=merge -p '{\"spec\":{\"intent\":\"" + intent + "\"}}'";
    }
}
