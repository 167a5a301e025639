package io.shardwright.planning.hotkeys;

import io.shardwright.routing.Scope;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/** The shares of keys, by the bound that is asked for. */
record HotKeyShares(HotKeySight seen) {
    /** A figure that moves by less stays as it was: no status is written for the weather. */
    private static final int CLEARLY = 5;

    private static final double P95 = 0.95;

    /** What the key certainly has of the requests to the shard that has its bucket. */
    double atLeast(Scope key) {
        return share(home(key).atLeast(text(key)), home(key).requests());
    }

    /** Shares of less than one request per second say nothing. */
    boolean fewRequests(Scope key) {
        return home(key).requests() < seen.settings().window().toSeconds();
    }

    /**
     * The most that it would have at home. What it had there in the window, before it was moved, counts too; else a key would be
     * cold because it has just arrived elsewhere.
     */
    double atMostAtHome(Scope key) {
        long here = home(key).atMost(text(key));
        long own = here + away(key).atMost(text(key));
        return share(own, own + home(key).requests() - here);
    }

    /** The least that it would have at home. */
    double atLeastAtHome(Scope key) {
        long here = home(key).atLeast(text(key));
        long own = here + away(key).atLeast(text(key));
        return share(own, own + home(key).requests() - here);
    }

    Optional<Duration> neighbours(String shard) {
        return seen.load().shard(shard).neighbours().quantile(P95);
    }

    private ShardWindow home(Scope key) {
        return seen.load().shard(seen.home(key));
    }

    /** Its own shard, when it has one. */
    private ShardWindow away(Scope key) {
        return Optional.ofNullable(seen.pinned().get(key))
                .map(seen.load()::shard)
                .orElse(ShardWindow.NONE);
    }

    private static double share(long part, long of) {
        return part == 0 ? 0 : (double) part / of;
    }

    private static String text(Scope key) {
        return key.key().orElseThrow();
    }

    /** In whole percent; what was said before stays said until it has clearly changed. */
    static OptionalInt percent(double share, OptionalInt before) {
        int percent = (int) Math.round(share * 100);
        boolean same = before.isPresent() && Math.abs(before.getAsInt() - percent) < CLEARLY;
        return same ? before : OptionalInt.of(percent);
    }
}
