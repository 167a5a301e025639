package io.shardwright.dataplane.postgres.probe;

import io.shardwright.dataplane.postgres.SqlText;

/** A table with the same content on every shard; a spec writes {@code name} (schema public) or {@code schema.name}. */
record ReferenceTable(String schema, String name) {
    static ReferenceTable parse(String text) {
        int dot = text.indexOf('.');
        return dot < 0
                ? new ReferenceTable("public", text)
                : new ReferenceTable(text.substring(0, dot), text.substring(dot + 1));
    }

    String sql() {
        return SqlText.identifier(schema) + "." + SqlText.identifier(name);
    }
}
