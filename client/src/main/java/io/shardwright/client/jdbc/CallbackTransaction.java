package io.shardwright.client.jdbc;

import io.shardwright.client.errors.AmbiguousWriteException;
import io.shardwright.routing.ShardKey;
import java.sql.Connection;
import java.sql.SQLException;

/**
 * A transaction that the library may run again, because the application has given it as a whole. Every run has a new
 * connection, a new route and a new scope.
 */
public final class CallbackTransaction {
    private final Router router;
    private final Classifier classifier;

    CallbackTransaction(Router router, Classifier classifier) {
        this.router = router;
        this.classifier = classifier;
    }

    /**
     * Commits when the work returns, rolls back when it throws.
     *
     * @throws io.shardwright.client.errors.StaleRouteException after three changes of shard or five seconds
     * @throws AmbiguousWriteException when COMMIT was not answered
     */
    @SuppressWarnings("try")
    public <T> T run(ShardKey key, TransactionWork<T> work) throws SQLException {
        Hops hops = new Hops(router);
        Hint hint = Hint.NONE;
        for (; ; ) {
            Session session = new Session(router, key, hops, hint);
            Refused refusal;
            SQLException cause = null;
            try (ShardScope scope = router.scopes().open(key)) {
                T result = once(session, work);
                if (session.pendingRefusal().isEmpty()) { // the work may have swallowed one
                    session.commit();
                    return result;
                }
            } catch (SQLException | RuntimeException e) {
                if (session.pendingRefusal().isEmpty()) {
                    throw e;
                }
                cause = e instanceof SQLException sql ? sql : new SQLException(e);
            } finally {
                refusal = session.pendingRefusal().orElse(null);
                session.close();
            }
            hint = hops.next(refusal, cause);
        }
    }

    private <T> T once(Session session, TransactionWork<T> work) throws SQLException {
        session.setAutoCommit(false);
        Connection connection = LogicalConnection.forCallback(session, classifier);
        return work.run(connection);
    }
}
