package io.shardwright.planning.model;

import io.shardwright.planning.model.OverrideState.Fence;
import io.shardwright.planning.model.OverrideState.Frozen;
import io.shardwright.planning.model.OverrideState.Move;
import io.shardwright.planning.model.OverrideState.Row;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Keys that live apart from their bucket: one bucket with two keys on two or three shards. Moves of the bucket and of its
 * keys are planned by operators that know nothing of each other, so what keeps them apart is in the databases. Keys are split
 * off, moved, folded back; the bucket moves with and without them, and moves are taken back. A writer has an arbitrarily stale route, and its snapshot may be
 * older than all that has happened since.
 *
 * <p>Abstractions: a move has no memory but the epoch that it was told. Each of its steps is a transaction that is possible
 * whenever the databases allow it, so a crash, a repeat after a lost answer, a takeover and a second mover are the same
 * steps again. Tokens, drains and streams are the matter of {@link SwitchModel} and {@link ReversalModel}; in mutants without
 * the look at a token, a mover is frozen before a statement and sends it later.
 */
final class OverrideModel implements Model {
    private final OverrideMutant mutant;
    private final Scope scope;
    private final Extra extra;

    /** What else happens in a scope. */
    enum Extra {
        NOTHING,
        /** frozen movers send fold backs and deletions late: for these a compare-and-swap is enough without a look at the token */
        LATE_MOVERS,
        /** moves are taken back, each once */
        REVERSALS
    }

    /** What must never be. */
    enum Harm {
        TWO_OWNERS,
        LOST_WRITE,
        /** no move is open, and no shard takes a write */
        NO_OWNER,
        /** no move is open, and a key is not where its moves have brought it */
        ASTRAY,
        /** no move is open, and there are rows of somebody who does not own them, or a key that was folded back still counts as an override */
        LEFT_BEHIND,
        /** no move is open, and a shard says of a key that it has gone to that very shard */
        POINTS_TO_ITSELF,
        /** no move is open, and a tombstone of a key is newer than its owner: no move brings the key there any more (step 2) */
        NEVER_AGAIN,
        /** a move cannot end without a person; found by the search behind all others */
        STUCK
    }

    /** @param shards 2 or 3; @param hot how many keys may move by themselves; @param starts how many moves are planned at most */
    record Scope(int shards, int hot, int starts, int writes) {
        static final Scope SMALL = new Scope(2, 1, 2, 1);
        static final Scope TWO_KEYS = new Scope(2, 2, 2, 0);
        static final Scope THREE_MOVES = new Scope(2, 1, 3, 0);
        static final Scope FOUR_MOVES = new Scope(2, 1, 4, 0);
        static final Scope THREE_SHARDS = new Scope(3, 1, 2, 0);
        static final Scope THREE_MOVES_ON_THREE_SHARDS = new Scope(3, 1, 3, 0);
    }

    /** With all rules. */
    OverrideModel(Scope scope, Extra extra) {
        this(OverrideMutant.NONE, scope, extra);
    }

    /** Without one of them; looks for the harm that this does. */
    OverrideModel(OverrideMutant mutant) {
        this(mutant, mutant.scope, mutant == OverrideMutant.REVERSALFOLDS ? Extra.REVERSALS : Extra.NOTHING);
    }

    private OverrideModel(OverrideMutant mutant, Scope scope, Extra extra) {
        this.mutant = mutant;
        this.scope = scope;
        this.extra = extra;
    }

    @Override
    public int width() {
        return 4;
    }

    @Override
    public long[] initial() {
        return OverrideState.initial().packed();
    }

    @Override
    public Optional<String> violation(long[] words) {
        OverrideState s = OverrideState.of(words);
        for (int key = 0; key < OverrideState.KEYS; key++) {
            Optional<Harm> harm = harm(s, key).filter(this::wanted);
            if (harm.isPresent()) {
                return Optional.of(harm.get() + " at key " + key);
            }
        }
        return Optional.empty();
    }

    private Optional<Harm> harm(OverrideState s, int key) {
        int owners = OverrideState.shardsWhere(scope.shards, shard -> accepts(s, shard, key));
        if (owners > 1) {
            return Optional.of(Harm.TWO_OWNERS);
        }
        for (int shard = 0; shard < scope.shards; shard++) {
            boolean owner = accepts(s, shard, key);
            if (owner && s.version[key][shard] != s.newest[key]) {
                return Optional.of(Harm.LOST_WRITE);
            }
            if (s.atRest()) {
                Optional<Harm> left = atRest(s, shard, key, owner, owners);
                if (left.isPresent()) {
                    return left;
                }
            }
        }
        return Optional.empty();
    }

    private Optional<Harm> atRest(OverrideState s, int shard, int key, boolean owner, int owners) {
        boolean belongs = s.pin[key] == 0 ? s.owns(shard) : s.pin[key] == shard + 1;
        boolean rows = s.version[key][shard] != OverrideState.NO_ROW;
        Row row = s.key[key][shard];
        if (owners == 0 && wanted(Harm.NO_OWNER)) {
            return Optional.of(Harm.NO_OWNER);
        }
        if (owner != belongs && wanted(Harm.ASTRAY)) {
            return Optional.of(Harm.ASTRAY);
        }
        boolean overrides = s.pin[key] == 0 && s.owns(shard) && row.present();
        if ((!owner && rows || overrides) && wanted(Harm.LEFT_BEHIND)) {
            return Optional.of(Harm.LEFT_BEHIND);
        }
        if (row.state == Fence.MOVED && row.owner == shard && wanted(Harm.POINTS_TO_ITSELF)) {
            return Optional.of(Harm.POINTS_TO_ITSELF);
        }
        boolean newest = row.state == Fence.MOVED && row.epoch > epochOfOwner(s, key);
        return newest ? Optional.of(Harm.NEVER_AGAIN) : Optional.empty();
    }

    private int epochOfOwner(OverrideState s, int key) {
        for (int shard = 0; shard < scope.shards; shard++) {
            if (accepts(s, shard, key)) {
                return s.key[key][shard].present() ? s.key[key][shard].epoch : s.bucket[shard].epoch;
            }
        }
        return Integer.MAX_VALUE; // nobody owns it, which is another harm
    }

    private boolean wanted(Harm harm) {
        return mutant.harm == null || mutant.harm == harm;
    }

    private boolean blind() {
        return mutant == OverrideMutant.OVERRIDEBLIND;
    }

    private boolean accepts(OverrideState s, int shard, int key) {
        return s.accepts(shard, key, blind());
    }

    @Override
    public List<Goal> goals() {
        return List.of(new Goal(
                "the end of every move", words -> OverrideState.of(words).atRest()));
    }

    @Override
    public void steps(long[] words, Steps steps) {
        OverrideState now = OverrideState.of(words);
        Step step = new Step(words, now, steps);
        new OverrideWriter(mutant, scope, now, step).steps();
        for (int slot = 0; slot < OverrideState.MOVES; slot++) {
            if (now.move[slot].open()) {
                new OverrideMover(mutant, extra, now, slot, step).steps();
            } else if (slot == 0 || now.move[0].open()) {
                start(now, slot, step);
            }
        }
        thaw(now, step);
    }

    /** Takes a step on a fresh copy of the state; an open snapshot does not see the rows that the step has changed. */
    record Step(long[] words, OverrideState now, Steps steps) {
        void take(String label, Consumer<OverrideState> change) {
            OverrideState next = OverrideState.of(words);
            change.accept(next);
            if (next.oldSnapshot) {
                int shard = next.writerShard;
                int key = next.writerKey;
                boolean counted = now.overrides[shard] != next.overrides[shard];
                next.bucketTouched |= next.sawBucket && (counted || differ(now.bucket[shard], next.bucket[shard]));
                next.keyTouched |= next.sawKey && differ(now.key[key][shard], next.key[key][shard]);
            }
            steps.add(label, next.packed());
        }

        private static boolean differ(Row a, Row b) {
            return a.state != b.state || a.epoch != b.epoch;
        }
    }

    /** Whoever plans has looked at the owner, and is late. */
    private void start(OverrideState now, int slot, Step step) {
        if (now.starts == scope.starts) {
            return;
        }
        for (int source = 0; source < scope.shards; source++) {
            for (int target = 0; target < scope.shards; target++) {
                if (source != target && now.owns(source)) {
                    start(slot, Move.BUCKET, source, target, now.bucket[source].epoch, step);
                }
                for (int key = 0; key < scope.hot; key++) {
                    Row row = now.key[key][source];
                    boolean folds = source == target && row.state == Fence.OWNED && now.owns(source);
                    if (accepts(now, source, key) && (source != target || folds)) {
                        int epoch = row.present() ? row.epoch : now.bucket[source].epoch;
                        start(slot, Move.KEY + key, source, target, epoch, step);
                    }
                }
            }
        }
    }

    private static void start(int slot, int kind, int source, int target, int epoch, Step step) {
        String what = kind == Move.BUCKET ? "the bucket" : "key " + (kind - Move.KEY);
        step.take("move " + slot + " of " + what + " from " + source + " to " + target + " is planned", s -> {
            Move move = s.move[slot];
            move.kind = kind;
            move.source = source;
            move.target = target;
            move.epoch = epoch;
            s.starts++;
        });
    }

    /** What a frozen mover sends when it wakes up: by compare-and-swap, without a look at its token. */
    private void thaw(OverrideState now, Step step) {
        int shard = now.frozenShard;
        int k = now.frozenKey;
        Row bucket = now.bucket[shard];
        Row key = now.key[k][shard];
        boolean passes = switch (now.frozen) {
            case NONE -> false;
            case SPLIT -> bucket.is(Fence.OWNED, now.frozenBucketEpoch) && !key.present() && now.bucketFree(shard);
            case FOLD ->
                bucket.is(Fence.OWNED, now.frozenBucketEpoch)
                        && key.is(Fence.OWNED, now.frozenKeyEpoch)
                        && now.bucketFree(shard)
                        && now.keyFree(shard, k);
            case DROP ->
                (key.state == Fence.MOVED || key.state == Fence.ABORTED)
                        && (bucket.state != Fence.OWNED || mutant == OverrideMutant.DROPUNCHECKED);
            case CLEAN -> bucket.is(Fence.MOVED, now.frozenBucketEpoch);
        };
        if (passes) {
            step.take("a frozen mover wakes up: " + now.frozen + " of key " + k + " on " + shard, this::wake);
        }
    }

    private void wake(OverrideState s) {
        int shard = s.frozenShard;
        Row key = s.key[s.frozenKey][shard];
        switch (s.frozen) {
            case NONE -> {}
            case SPLIT -> {
                key.set(Fence.OWNED, s.frozenBucketEpoch, 0);
                s.overrides[shard] = s.countOverrides(shard);
            }
            case FOLD -> fold(s, shard, s.frozenKey, mutant);
            case DROP -> key.remove();
            case CLEAN -> {
                for (int k = 0; k < OverrideState.KEYS; k++) {
                    if (!s.key[k][shard].present()) {
                        s.version[k][shard] = OverrideState.NO_ROW;
                    }
                }
            }
        }
        s.thaw();
    }

    /** K4 in one transaction; the bucket's epoch keeps up with the key's, so that a key's epochs grow over all of its lives. */
    static void fold(OverrideState s, int shard, int key, OverrideMutant mutant) {
        int epoch = mutant == OverrideMutant.EPOCHKEPT ? 0 : s.key[key][shard].epoch;
        s.bucket[shard].epoch = Math.max(s.bucket[shard].epoch, epoch);
        s.key[key][shard].remove();
        s.pin[key] = 0;
        if (mutant != OverrideMutant.FOLDUNCOUNTED) {
            s.overrides[shard] = s.countOverrides(shard);
        }
    }

    static void freeze(OverrideState s, Frozen what, int shard, int key) {
        s.frozen = what;
        s.frozenShard = shard;
        s.frozenKey = key;
        s.frozenBucketEpoch = s.bucket[shard].epoch;
        s.frozenKeyEpoch = s.key[key][shard].epoch;
    }
}
