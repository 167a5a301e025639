package io.shardwright.stage.ledger;

import io.shardwright.stage.shop.ShardDatabase;
import java.util.ArrayList;
import java.util.List;

/** A row of the load as it lies in a database. */
public record StoredRow(String shard, long tenant, String row, long value) {
    private static final String ROWS = """
            SELECT tenant_id, reference, total_cents FROM orders WHERE reference LIKE 'w-%'
            UNION ALL SELECT tenant_id, sku, price_cents FROM order_items WHERE sku LIKE 'w-%'""";

    /** Every row of the load in these databases, duplicates included. */
    public static List<StoredRow> read(List<ShardDatabase> shards) {
        var rows = new ArrayList<StoredRow>();
        for (var shard : shards) {
            shard.query(ROWS)
                    .forEach(row -> rows.add(new StoredRow(
                            shard.name(), Long.parseLong(row.get(0)), row.get(1), Long.parseLong(row.get(2)))));
        }
        return List.copyOf(rows);
    }
}
