package io.shardwright.stage.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.stage.ledger.LedgerAudit.Copies;
import io.shardwright.stage.ledger.LedgerEntry.Kind;
import io.shardwright.stage.ledger.LedgerEntry.Mode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The oracle itself is tested with faults put in on purpose: an audit that cannot fail proves nothing. */
class LedgerAuditTest {
    private final List<LedgerLine> ledger = new ArrayList<>();
    private final List<StoredRow> stored = new ArrayList<>();

    @Test
    void findsNothingWhereEveryAcknowledgedWriteIsOnItsOwner() {
        wrote(1, Kind.INSERT, "a", Outcome.ACKNOWLEDGED);
        wrote(2, Kind.UPDATE, "a", Outcome.ACKNOWLEDGED);
        wrote(3, Kind.INSERT, "b", Outcome.ACKNOWLEDGED);
        wrote(4, Kind.DELETE, "b", Outcome.ACKNOWLEDGED);
        wrote(5, Kind.INSERT, "c", Outcome.REFUSED);
        stored("owner", "a", 2);

        AuditReport report = audit(Copies.NONE);

        assertThat(report.clean()).isTrue();
        assertThat(report.acknowledged()).isEqualTo(4);
        assertThat(report.refused()).isEqualTo(1);
    }

    @Test
    void aMissingRowIsLost() {
        wrote(1, Kind.INSERT, "a", Outcome.ACKNOWLEDGED);

        assertThat(audit(Copies.NONE).lost()).isEqualTo(1);
    }

    @Test
    void anOlderValueIsLost() {
        wrote(1, Kind.INSERT, "a", Outcome.ACKNOWLEDGED);
        wrote(2, Kind.UPDATE, "a", Outcome.ACKNOWLEDGED);
        stored("owner", "a", 1);

        assertThat(audit(Copies.NONE).lost()).isEqualTo(1);
    }

    @Test
    void aRowThatCameBackAfterItsDeleteIsLost() {
        wrote(1, Kind.INSERT, "a", Outcome.ACKNOWLEDGED);
        wrote(2, Kind.DELETE, "a", Outcome.ACKNOWLEDGED);
        stored("owner", "a", 1);

        assertThat(audit(Copies.NONE).lost()).isEqualTo(1);
    }

    @Test
    void aRowThatIsOnlyOnAnotherShardIsLost() {
        wrote(1, Kind.INSERT, "a", Outcome.ACKNOWLEDGED);
        stored("other", "a", 1);

        assertThat(audit(Copies.MAY_REMAIN).lost()).isEqualTo(1);
    }

    @Test
    void aRowOnTwoShardsIsDuplicatedOnceEverythingIsCleanedUp() {
        wrote(1, Kind.INSERT, "a", Outcome.ACKNOWLEDGED);
        stored("owner", "a", 1);
        stored("other", "a", 1);

        assertThat(audit(Copies.NONE).duplicated()).isEqualTo(1);
    }

    @Test
    void aRowTwiceOnItsOwnerIsDuplicatedAtAnyTime() {
        wrote(1, Kind.INSERT, "a", Outcome.ACKNOWLEDGED);
        stored("owner", "a", 1);
        stored("owner", "a", 1);

        assertThat(audit(Copies.MAY_REMAIN).duplicated()).isEqualTo(1);
    }

    @Test
    void anUnknownWriteMayBeThereOrNot() {
        wrote(1, Kind.INSERT, "a", Outcome.ACKNOWLEDGED);
        wrote(2, Kind.UPDATE, "a", Outcome.UNKNOWN);
        wrote(3, Kind.INSERT, "b", Outcome.UNKNOWN);
        stored("owner", "a", 2);

        assertThat(audit(Copies.NONE).clean()).isTrue();
    }

    @Test
    void aRefusedWriteThatIsThereIsAFault() {
        wrote(1, Kind.INSERT, "a", Outcome.ACKNOWLEDGED);
        wrote(2, Kind.UPDATE, "a", Outcome.REFUSED);
        stored("owner", "a", 2);

        assertThat(audit(Copies.NONE).refusedFound()).isEqualTo(1);
    }

    private void wrote(long id, Kind kind, String row, Outcome outcome) {
        ledger.add(new LedgerLine(
                new LedgerEntry(id, 7, kind, row, Mode.AUTOCOMMIT, 1_000 * id), outcome, 1_000 * id + 5));
    }

    private void stored(String shard, String row, long value) {
        stored.add(new StoredRow(shard, 7, row, value));
    }

    private AuditReport audit(Copies copies) {
        return new LedgerAudit(tenant -> "owner", copies).audit(ledger, stored);
    }
}
