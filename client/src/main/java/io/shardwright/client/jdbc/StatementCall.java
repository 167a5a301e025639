package io.shardwright.client.jdbc;

import java.lang.reflect.Method;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;

/**
 * One execution, recorded: how the statement is made, its settings, parameters and batch, and the call. Immutable, so it
 * can be played on any physical connection, as often as needed.
 *
 * @param creation the call on Connection that made the statement
 * @param sql of a prepared statement, or null
 * @param batch parameters of each row (prepared), or calls of {@code addBatch(sql)}
 * @param execution the call on Statement
 * @param started told of each physical statement before it is executed, so that it can be cancelled
 */
record StatementCall(
        StatementClass statementClass,
        Call creation,
        String sql,
        Collection<Call> settings,
        Collection<Call> parameters,
        List<Collection<Call>> batch,
        Call execution,
        Consumer<Statement> started) {

    boolean isBatch() {
        return execution.method().getName().endsWith("Batch");
    }

    boolean isPrepared() {
        return sql != null;
    }

    /** Rows could be changed through the result set, past the statement's end. */
    boolean isUpdatable() {
        Object[] made = creation.arguments();
        int concurrency = isPrepared() ? 2 : 1;
        return made.length > concurrency
                && Integer.valueOf(ResultSet.CONCUR_UPDATABLE).equals(made[concurrency]);
    }

    /**
     * Whether pgjdbc can send {@code enter} in the same message. Batches and generated keys it cannot; a cursor is kept
     * alone, so that its size of fetch applies to nothing else.
     */
    boolean canCarryEntries() {
        boolean callable =
                CallableStatement.class.isAssignableFrom(creation.method().getReturnType());
        boolean plainCreation = creation.arguments().length == (isPrepared() ? 1 : 0);
        boolean plainExecution = execution.arguments().length == (isPrepared() ? 0 : 1);
        boolean cursor = settings.stream()
                .anyMatch(set -> set.method().getName().equals("setFetchSize")
                        && !Integer.valueOf(0).equals(set.arguments()[0]));
        return !callable && !isBatch() && plainCreation && plainExecution && !cursor;
    }

    /** The same without a size of fetch, which means nothing in autocommit. */
    StatementCall withoutCursor() {
        List<Call> kept = settings.stream()
                .filter(set -> !set.method().getName().equals("setFetchSize"))
                .toList();
        return new StatementCall(statementClass, creation, sql, kept, parameters, batch, execution, started);
    }

    /** Plays it, after the entries; in the same message if that is possible. */
    Execution on(Connection connection, List<Entry> entries) throws SQLException {
        boolean carried = !entries.isEmpty() && canCarryEntries();
        if (!entries.isEmpty() && !carried) {
            Entry.enter(connection, entries);
        }
        List<Entry> inFront = carried ? entries : List.of();
        Statement statement = create(connection, inFront);
        boolean done = false;
        try {
            for (Call setting : settings) {
                setting.on(statement);
            }
            bind(statement, inFront);
            started.accept(statement);
            Object result = inFront.isEmpty() ? execution.on(statement) : executeBehind(inFront, statement);
            done = true;
            return new Execution(statement, result);
        } finally {
            if (!done) {
                statement.close();
            }
        }
    }

    private Statement create(Connection connection, List<Entry> inFront) throws SQLException {
        Object[] arguments = creation.arguments().clone();
        if (isPrepared()) {
            arguments[0] = Entry.parametersFor(inFront) + sql;
        }
        return (Statement) Call.invoke(connection, creation.method(), arguments);
    }

    private void bind(Statement statement, List<Entry> inFront) throws SQLException {
        if (isPrepared() && !inFront.isEmpty()) {
            Entry.bind((PreparedStatement) statement, inFront);
        }
        int shift = inFront.size() * Entry.PARAMETER_COUNT;
        if (!isBatch()) {
            for (Call parameter : parameters) {
                parameter.shifted(statement, shift);
            }
            return;
        }
        for (Collection<Call> row : batch) {
            for (Call call : row) {
                call.on(statement);
            }
            if (isPrepared()) {
                ((PreparedStatement) statement).addBatch();
            }
        }
    }

    /** Executes entries and statement as one text, passes over the entries' results, and answers as the call would. */
    private Object executeBehind(List<Entry> entries, Statement statement) throws SQLException {
        boolean rows = isPrepared()
                ? ((PreparedStatement) statement).execute()
                : statement.execute(Entry.literalsFor(entries) + execution.arguments()[0]);
        for (int passed = 0; passed < entries.size(); passed++) {
            rows = statement.getMoreResults();
        }
        Method method = execution.method();
        switch (method.getName()) {
            case "execute":
                return rows;
            case "executeQuery":
                if (!rows) {
                    throw new SQLException("the statement gave no rows: use executeUpdate", "02000");
                }
                return statement.getResultSet();
            default:
                if (rows) {
                    throw new SQLException("the statement gave rows: use executeQuery", "0100E");
                }
                long count = statement.getLargeUpdateCount();
                return method.getReturnType() == long.class ? (Object) count : (Object) Math.toIntExact(count);
        }
    }
}
