package io.shardwright.stage.ledger;

/**
 * One effect on one row, as written down before it was sent.
 *
 * @param id unique over all routers of a run; also the value that an INSERT or UPDATE stores in the row
 * @param row name of the row; exactly one router ever writes it
 * @param intendedMicros when it should have been sent, in microseconds of the epoch: open loop, so a stall is not hidden
 */
public record LedgerEntry(long id, long tenant, Kind kind, String row, Mode mode, long intendedMicros) {
    public enum Kind {
        INSERT,
        UPDATE,
        DELETE
    }

    public enum Mode {
        AUTOCOMMIT,
        TRANSACTION
    }

    String line() {
        return String.join(
                "\t",
                ">",
                Long.toString(id),
                Long.toString(tenant),
                kind.name(),
                row,
                mode.name(),
                Long.toString(intendedMicros));
    }

    static LedgerEntry parse(String[] words) {
        return new LedgerEntry(
                Long.parseLong(words[1]),
                Long.parseLong(words[2]),
                Kind.valueOf(words[3]),
                words[4],
                Mode.valueOf(words[5]),
                Long.parseLong(words[6]));
    }
}
