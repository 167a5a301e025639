package io.shardwright.stage.workload;

import io.shardwright.client.Shardwright;
import io.shardwright.client.errors.AmbiguousWriteException;
import io.shardwright.client.jdbc.ShardScope;
import io.shardwright.stage.ledger.LedgerEntry.Mode;
import io.shardwright.stage.ledger.LedgerWriter;
import io.shardwright.stage.ledger.Outcome;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** Carries out operations through the library and writes down what it intended and what it heard. Thread-safe. */
final class Application {
    private final Shardwright sw;
    private final LedgerWriter ledger;
    private final TenantChoice tenants;
    private final Operation.Choice operations;
    private final OrderRows rows;
    private final WorkloadReport report;
    private final double autocommitShare;

    Application(
            Shardwright sw,
            LedgerWriter ledger,
            TenantChoice tenants,
            WorkloadReport report,
            int router,
            double autocommitShare) {
        this.sw = sw;
        this.ledger = ledger;
        this.tenants = tenants;
        this.rows = new OrderRows();
        this.operations = new Operation.Choice(rows, Integer.toString(router));
        this.report = report;
        this.autocommitShare = autocommitShare;
    }

    /** One operation, from its ledger lines to its outcome; throws nothing that the load could not survive. */
    void operate(Instant intended) {
        RandomGenerator random = ThreadLocalRandom.current();
        Mode mode = random.nextDouble() < autocommitShare ? Mode.AUTOCOMMIT : Mode.TRANSACTION;
        boolean callback = random.nextBoolean();
        Operation operation = operations.next(tenants.next(random), mode == Mode.TRANSACTION, random);
        List<Long> ids = new ArrayList<>();
        for (Effect effect : operation.effects()) {
            ids.add(ledger.begin(operation.tenant(), effect.kind(), effect.row(), mode, intended));
        }
        report.sent(ids.size());
        Outcome outcome = Outcome.REFUSED;
        try {
            List<Long> made = perform(operation, ids, mode, callback);
            outcome = Outcome.ACKNOWLEDGED;
            settle(operation, made);
        } catch (AmbiguousWriteException e) {
            outcome = Outcome.UNKNOWN;
            report.failed(mode, e.getSQLState(), e);
        } catch (SQLException e) {
            report.failed(mode, e.getSQLState() == null ? "none" : e.getSQLState(), e);
        } catch (RuntimeException e) {
            report.failed(mode, e.getClass().getSimpleName(), e);
        }
        for (long id : ids) {
            ledger.end(id, outcome);
        }
        report.heard(outcome, ids.size());
    }

    @SuppressWarnings("try")
    private List<Long> perform(Operation operation, List<Long> values, Mode mode, boolean callback)
            throws SQLException {
        if (mode == Mode.TRANSACTION && callback) {
            return sw.inTransaction(operation.tenant(), connection -> readAndWrite(connection, operation, values));
        }
        try (ShardScope scope = sw.key(operation.tenant());
                Connection connection = sw.dataSource().getConnection()) {
            if (mode == Mode.AUTOCOMMIT) {
                return write(connection, operation, values);
            }
            connection.setAutoCommit(false);
            List<Long> made = readAndWrite(connection, operation, values);
            connection.commit();
            return made;
        }
    }

    private static List<Long> readAndWrite(Connection connection, Operation operation, List<Long> values)
            throws SQLException {
        Optional<OrderRow> order = operation.order();
        if (order.isPresent()) {
            OrderSql.readOrder(connection, order.get());
        } else {
            OrderSql.countOrders(connection, operation.tenant());
        }
        return write(connection, operation, values);
    }

    private static List<Long> write(Connection connection, Operation operation, List<Long> values) throws SQLException {
        List<Long> made = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            made.add(operation.effects().get(i).statement().execute(connection, values.get(i)));
        }
        return made;
    }

    /** Only after an acknowledgement is the order free again; one with an unknown or refused change is left alone. */
    private void settle(Operation operation, List<Long> made) {
        for (int i = 0; i < made.size(); i++) {
            operation.effects().get(i).landed().with(made.get(i));
        }
        if (operation.keepsOrder()) {
            operation.order().ifPresent(rows::giveBack);
        }
    }
}
