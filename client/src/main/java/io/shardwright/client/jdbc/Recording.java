package io.shardwright.client.jdbc;

import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;

/** What the application has told a statement so far. Parameters stay from one execution to the next, as JDBC wants it. */
final class Recording {
    private final Call creation;
    private final String sql;
    private final Map<String, Call> settings = new LinkedHashMap<>();
    private final Map<Object, Call> parameters = new LinkedHashMap<>();
    private final List<Collection<Call>> batch = new ArrayList<>();
    private final List<String> batchTexts = new ArrayList<>();

    Recording(Call creation) {
        this.creation = creation;
        boolean prepared =
                PreparedStatement.class.isAssignableFrom(creation.method().getReturnType());
        this.sql = prepared ? (String) creation.arguments()[0] : null;
    }

    Call creation() {
        return creation;
    }

    /** A setter of Statement is a setting, one of its sub-types a parameter. */
    void set(Call call) {
        if (PreparedStatement.class.isAssignableFrom(call.method().getDeclaringClass())) {
            String kind = call.method().getName().startsWith("register") ? "out " : "";
            parameters.put(kind + call.arguments()[0], call);
        } else {
            settings.put(call.method().getName(), call);
        }
    }

    Optional<Object> setting(String setter) {
        return Optional.ofNullable(settings.get(setter)).map(call -> call.arguments()[0]);
    }

    void clearParameters() {
        parameters.clear();
    }

    void addBatch(Call call) {
        if (call.arguments().length == 0) {
            batch.add(List.copyOf(parameters.values()));
        } else {
            batch.add(List.of(call));
            batchTexts.add((String) call.arguments()[0]);
        }
    }

    void clearBatch() {
        batch.clear();
        batchTexts.clear();
    }

    /** A snapshot with this execution. */
    StatementCall call(Call execution, Classifier classifier, Consumer<Statement> started) {
        StatementClass kind;
        if (sql != null) {
            kind = classifier.classify(sql);
        } else if (execution.arguments().length == 0) {
            kind = classifier.classifyBatch(batchTexts);
        } else {
            kind = classifier.classify((String) execution.arguments()[0]);
        }
        return new StatementCall(
                kind,
                creation,
                sql,
                List.copyOf(settings.values()),
                List.copyOf(parameters.values()),
                List.copyOf(batch),
                execution,
                started);
    }
}
