package io.shardwright.plugin.explain;

import io.shardwright.plugin.text.TextTable;
import io.shardwright.plugin.text.View;
import java.util.List;

/**
 * Where a key lives by the routing table, and by which rule.
 *
 * @param key canonical text
 * @param hashValue whose remainder by {@code buckets} is the bucket
 * @param owner the shard that the map, or the pin, names
 * @param primary where its primary listens
 * @param rule pin or bucket
 * @param epoch fence epoch that the table believes in; 0 for a pin
 * @param workers where workers send work for the key now, and {@code web} where web processes do
 * @param handover the one that is under way for its bucket; null when there is none
 * @param moves that have not ended and take its bucket along
 */
record Explanation(
        String namespace,
        String cluster,
        String key,
        String keyType,
        String hash,
        long hashValue,
        int bucket,
        int buckets,
        String owner,
        String primary,
        String rule,
        long epoch,
        String workers,
        String web,
        long revision,
        long incarnation,
        Handover handover,
        List<Move> moves)
        implements View {

    /** @param visibleTo roles that route by it already: none, worker, or worker and web */
    record Handover(String to, long epoch, List<String> visibleTo) {}

    record Move(String name, String from, String to, String phase) {}

    @Override
    public String text() {
        TextTable table = new TextTable("key", key + " (" + keyType + ")");
        table.row(
                "hash", hash + ": " + hashValue + (hash.equals("MD5") ? ", the first four bytes" : ", the key itself"));
        table.row("bucket", bucket + " of " + buckets + " (the remainder of " + hashValue + " by " + buckets + ")");
        table.row("owner", owner + " (" + primary + ")");
        table.row("rule", why());
        table.row("workers", workers);
        table.row("web", web);
        table.row("table", "revision " + revision + ", incarnation " + incarnation);
        if (handover != null) {
            table.row("handover", "to " + handover.to() + " with epoch " + handover.epoch() + ": " + visibility());
        }
        moves.forEach(
                move -> table.row("move", move.name() + ": " + move.from() + " to " + move.to() + ", " + move.phase()));
        return table + "routers believe this; the fence in the database decides\n";
    }

    private String why() {
        return rule.equals("pin")
                ? "pin: the key is pinned to " + owner + ", and pins come before the hash"
                : "bucket: the map gives bucket " + bucket + " to " + owner + " (epoch " + epoch + ")";
    }

    private String visibility() {
        return handover.visibleTo().isEmpty()
                ? "announced, and visible to nobody yet"
                : "visible to " + String.join(" and ", handover.visibleTo());
    }
}
