package io.shardwright.planning.model;

import io.shardwright.planning.model.OverrideModel.Scope;
import io.shardwright.planning.model.OverrideModel.Step;
import io.shardwright.planning.model.OverrideState.Fence;
import io.shardwright.planning.model.OverrideState.Row;
import io.shardwright.planning.model.OverrideState.Writer;

/**
 * A transaction that writes one key on one shard through the fence (section 2.2): the lock of the bucket, its row, and where that
 * does not decide, the lock of the key and its row. With an old snapshot a row that has changed since is an error, and a row that
 * has come since is not seen.
 */
final class OverrideWriter {
    private final OverrideMutant mutant;
    private final Scope scope;
    private final OverrideState now;
    private final Step step;

    OverrideWriter(OverrideMutant mutant, Scope scope, OverrideState now, Step step) {
        this.mutant = mutant;
        this.scope = scope;
        this.now = now;
        this.step = step;
    }

    void steps() {
        int shard = now.writerShard;
        int key = now.writerKey;
        switch (now.writer) {
            case IDLE -> {
                if (now.newest[0] + now.newest[1] < scope.writes()) {
                    begin();
                }
            }
            case BEGUN -> asksBucket(shard, key);
            case ASKS_KEY -> asksKey(shard, key);
            case PASSED_BY_BUCKET, PASSED_BY_KEY ->
                step.take("a writer commits key " + key + " on " + shard, s -> {
                    s.newest[key]++;
                    s.version[key][shard] = s.newest[key];
                    s.endWriter();
                });
        }
    }

    private void begin() {
        for (int shard = 0; shard < scope.shards(); shard++) {
            for (int key = 0; key < OverrideState.KEYS; key++) {
                begin(shard, key, false);
                begin(shard, key, true);
            }
        }
    }

    private void begin(int shard, int key, boolean oldSnapshot) {
        String how = oldSnapshot ? " with its snapshot" : "";
        step.take("a writer of key " + key + " begins on " + shard + how, s -> {
            s.writer = Writer.BEGUN;
            s.writerShard = shard;
            s.writerKey = key;
            s.oldSnapshot = oldSnapshot;
            s.sawBucket = oldSnapshot && s.bucket[shard].present();
            s.sawKey = oldSnapshot && s.key[key][shard].present();
        });
    }

    private void asksBucket(int shard, int key) {
        if (now.bucketTouched) {
            refused("the row of the bucket has changed since its snapshot");
            return;
        }
        boolean owned = now.owns(shard) && (now.sawBucket || !now.oldSnapshot);
        boolean decides = owned && now.overrides[shard] == 0 && mutant != OverrideMutant.OVERRIDEBLIND;
        String seen = decides ? " passes by the bucket's row on " : " has to ask for the key's row on ";
        step.take("a writer of key " + key + seen + shard, s -> {
            s.writer = decides ? Writer.PASSED_BY_BUCKET : Writer.ASKS_KEY;
            s.sawBucket = false;
            if (decides) {
                s.forgetSnapshot();
            } else {
                s.bucketWasOwned = owned;
            }
        });
    }

    private void asksKey(int shard, int key) {
        if (now.keyTouched) {
            refused("the row of the key has changed since its snapshot");
            return;
        }
        Row row = now.key[key][shard];
        boolean seen = row.present() && (now.sawKey || !now.oldSnapshot);
        if (seen ? row.state == Fence.OWNED : now.bucketWasOwned) {
            step.take("a writer of key " + key + " passes by the key's row on " + shard, s -> {
                s.writer = mutant == OverrideMutant.NOKEYLOCK ? Writer.PASSED_BY_BUCKET : Writer.PASSED_BY_KEY;
                s.forgetSnapshot();
            });
        } else {
            refused("not the owner");
        }
    }

    private void refused(String why) {
        step.take("a writer is refused: " + why, OverrideState::endWriter);
    }
}
