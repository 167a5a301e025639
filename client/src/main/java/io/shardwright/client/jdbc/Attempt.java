package io.shardwright.client.jdbc;

import io.shardwright.client.load.LoadMeter;
import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.table.Flights;
import io.shardwright.routing.Role;
import io.shardwright.routing.Route;
import io.shardwright.routing.ShardKey;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * One try of one unit of work: route, pinned table and connection, all of them its own. What one attempt learned reaches
 * the next as a {@link Hint} and in no other way.
 */
final class Attempt {
    private final ShardKey key;
    private final Hint hint;
    private final Flights.Flight flight;
    private final Route route;
    private final PoolSet.Lease lease;
    private final LoadMeter load;
    private final Set<Entry> entered = new LinkedHashSet<>();
    private final List<StatementCall> preamble = new ArrayList<>();
    private boolean checkingReads;
    private boolean resultSeen;
    private boolean wrote;
    private Refused refusal;

    Attempt(ShardKey key, Hint hint, Flights.Flight flight, Route route, PoolSet.Lease lease, LoadMeter load) {
        this.key = key;
        this.hint = hint;
        this.flight = flight;
        this.route = route;
        this.lease = lease;
        this.load = load;
    }

    ShardKey key() {
        return key;
    }

    Flights.Flight flight() {
        return flight;
    }

    Route route() {
        return route;
    }

    /** Where another key goes by the same table and the same hint. */
    Route routeOf(ShardKey other, Role role) {
        return hint.correct(flight.view().route(other, role), flight.view().table());
    }

    PoolSet.Lease lease() {
        return lease;
    }

    Connection connection() {
        return lease.connection();
    }

    interface Play {
        Execution play() throws SQLException;
    }

    /** Plays one statement for a key of this shard, and counts it if it got there, also when it was refused there. */
    Execution counted(ShardKey asked, Play statement) throws SQLException {
        long began = System.nanoTime();
        boolean arrived = false;
        try {
            Execution done = statement.play();
            arrived = true;
            return done;
        } catch (SQLException e) {
            arrived = Verdict.isSent(e);
            throw e;
        } finally {
            if (arrived) {
                load.count(route.shard(), asked.text(), System.nanoTime() - began);
            }
        }
    }

    /** It follows an attempt that was refused. */
    boolean isReplay() {
        return !hint.isNone();
    }

    /** What must be entered before the next statement for this key: what is awaited first, then its own bucket. */
    List<Entry> due(int bucket, ShardKey wanted) {
        List<Entry> due = new ArrayList<>();
        if (entered.isEmpty() && hint.isDraining() && hint.refusal().bucket() != bucket) {
            due.add(new Entry(hint.refusal().bucket(), null));
        }
        Entry own = Entry.of(bucket, wanted);
        if (!entered.contains(own)) {
            due.add(own);
        }
        return due;
    }

    void entered(List<Entry> entries) {
        entered.addAll(entries);
    }

    /** Locks taken after a savepoint are gone when it is rolled back: everything is entered again. */
    void forgetEntries() {
        entered.clear();
    }

    /** It sees one snapshot, in which ownership is looked up before a key's first read. */
    void checksReads() {
        checkingReads = true;
    }

    boolean isCheckingReads() {
        return checkingReads;
    }

    /** Settings that the application made inside the transaction, to be made again by a replay. */
    List<StatementCall> preamble() {
        return preamble;
    }

    void succeeded(StatementCall call) {
        if (call.statementClass() == StatementClass.SETTING) {
            preamble.add(call);
        } else {
            resultSeen = true;
            wrote |= call.statementClass() != StatementClass.READ;
        }
    }

    /** The application has an answer of this attempt, or the raw connection: it cannot be replayed. */
    void exposed() {
        resultSeen = true;
        wrote = true;
    }

    boolean isReplayable() {
        return !resultSeen;
    }

    boolean wrote() {
        return wrote;
    }

    void refused(Refused what) {
        refusal = what;
    }

    /** Why the transaction cannot be committed, or null. */
    Refused refusal() {
        return refusal;
    }
}
