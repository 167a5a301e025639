package io.shardwright.e2e.shop;

import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.shardwright.crds.Blocker;
import io.shardwright.crds.Condition;
import io.shardwright.crds.ConditionType;
import io.shardwright.crds.Conditions;
import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.stage.Stage;
import io.shardwright.stage.shop.ShopTopology;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/** Every status that the moves of the shop are given, in order: a look now and then misses what is told for a second. */
public final class ToldStatuses implements ResourceEventHandler<BucketMove>, AutoCloseable {
    private final List<BucketMoveStatus> all = new CopyOnWriteArrayList<>();
    private final SharedIndexInformer<BucketMove> watched;

    private ToldStatuses(Stage stage) {
        watched = stage.client()
                .resources(BucketMove.class)
                .inNamespace(ShopTopology.NAMESPACE)
                .inform(this);
    }

    /** From now on. */
    public static ToldStatuses of(Stage stage) {
        return new ToldStatuses(stage);
    }

    @Override
    public void onAdd(BucketMove move) {
        told(move);
    }

    @Override
    public void onUpdate(BucketMove before, BucketMove move) {
        told(move);
    }

    @Override
    public void onDelete(BucketMove move, boolean finalStateUnknown) {
        told(move);
    }

    private void told(BucketMove move) {
        Optional.ofNullable(move.getStatus()).ifPresent(all::add);
    }

    /** The first that named this session, for this reason of the condition Progressing. */
    public Optional<BucketMoveStatus> naming(String session, String reason) {
        return all.stream()
                .filter(status -> Conditions.find(status.conditions(), ConditionType.PROGRESSING)
                        .map(Condition::reason)
                        .filter(reason::equals)
                        .isPresent())
                .filter(status -> blocker(status, session).isPresent())
                .findFirst();
    }

    public static Optional<Blocker> blocker(BucketMoveStatus status, String session) {
        return status.blockedBy().stream()
                .filter(one -> one.kind().equals("Session") && one.name().equals(session))
                .findFirst();
    }

    @Override
    public void close() {
        watched.close();
    }
}
