package io.shardwright.stage.truth;

import java.util.ArrayList;
import java.util.List;

/** The queries that find what a finished move should have taken away with it. */
final class Leftovers {
    private Leftovers() {}

    static List<String> queries(boolean fence, String database) {
        var queries = new ArrayList<String>();
        queries.add(
                "SELECT 'replication slot', slot_name FROM pg_replication_slots WHERE database = '" + database + "'");
        queries.add("SELECT 'replication origin', roname FROM pg_replication_origin");
        queries.add("SELECT 'session', application_name FROM pg_stat_activity"
                + " WHERE application_name LIKE 'shardwright/%' AND application_name <> 'shardwright/look'");
        // an operator that looks keeps one session for each of its two logins
        queries.add("SELECT 'sessions of looks', count(*)::text FROM pg_stat_activity"
                + " WHERE application_name = 'shardwright/look' HAVING count(*) > 2");
        if (fence) {
            queries.add("SELECT 'cleanup record', kind, name FROM shardwright.cleanup_record");
            queries.add(foreignRows("orders"));
            queries.add(foreignRows("order_items"));
        }
        return queries;
    }

    private static String foreignRows(String table) {
        return """
                SELECT 'rows of a bucket that is not owned here', '%s', bucket::text, count(*)::text
                FROM (SELECT shardwright.bucket_of(tenant_id::text) AS bucket, tenant_id::text AS key FROM %s) AS placed
                WHERE 'OWNED' IS DISTINCT FROM (SELECT state FROM shardwright.fence
                  WHERE fence.scope IN ('b:' || placed.bucket, 'k:' || placed.key) ORDER BY scope DESC LIMIT 1)
                GROUP BY bucket""".formatted(table, table);
    }
}
