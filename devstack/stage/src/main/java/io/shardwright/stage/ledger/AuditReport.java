package io.shardwright.stage.ledger;

import java.util.List;

/**
 * What the comparison of ledgers and databases found.
 *
 * @param lost acknowledged operations whose effect is not on the owner's shard: a missing row, an older value, a row that
 *     came back after an acknowledged delete
 * @param duplicated rows that are on two shards, or twice on one
 * @param refusedFound refused operations whose effect is there all the same
 * @param findings each fault in words, at most 50
 */
public record AuditReport(
        long acknowledged,
        long refused,
        long unknown,
        long lost,
        long duplicated,
        long refusedFound,
        List<String> findings) {
    public AuditReport {
        findings = List.copyOf(findings);
    }

    public boolean clean() {
        return lost == 0 && duplicated == 0 && refusedFound == 0;
    }
}
