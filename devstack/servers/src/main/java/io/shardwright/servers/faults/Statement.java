package io.shardwright.servers.faults;

import java.util.regex.Pattern;

/** What the text of a statement says about its effect. */
record Statement(String sql) {
    private static final int SHOWN = 64;
    private static final int FLAGS = Pattern.CASE_INSENSITIVE | Pattern.DOTALL;

    private static final Pattern BEGINS = Pattern.compile("\\s*(BEGIN|START\\s+TRANSACTION)\\b.*", FLAGS);
    private static final Pattern COMMITS = Pattern.compile("\\s*(COMMIT|END|PREPARE\\s+TRANSACTION)\\b.*", FLAGS);
    private static final Pattern ROLLS_BACK = Pattern.compile("\\s*(ROLLBACK|ABORT)\\b(?!\\s+TO\\b).*", FLAGS);
    private static final Pattern WRITES = Pattern.compile(
            "\\s*((INSERT|UPDATE|DELETE|MERGE|COPY|TRUNCATE|CREATE|DROP|ALTER|GRANT|REVOKE|CALL|DO)\\b"
                    + "|CREATE_REPLICATION_SLOT|DROP_REPLICATION_SLOT"
                    + "|WITH\\b.*\\b(INSERT\\s+INTO|UPDATE\\s+\\w|DELETE\\s+FROM)"
                    + "|SELECT\\b.*\\bpg_logical_emit_message\\b).*",
            FLAGS);

    /** Done for good when it is done, whatever becomes of the transaction. */
    private static final Pattern ACTS =
            Pattern.compile("\\s*SELECT\\b.*\\b(pg_drop_replication_slot|pg_terminate_backend|setval)\\b.*", FLAGS);

    private static final Pattern VALUES = Pattern.compile("'[^']*'|[0-9a-f]{16,}|\\b\\d+\\b");

    boolean begins() {
        return BEGINS.matcher(sql).matches();
    }

    boolean commits() {
        return COMMITS.matcher(sql).matches();
    }

    boolean rollsBack() {
        return ROLLS_BACK.matcher(sql).matches();
    }

    boolean writes() {
        return WRITES.matcher(sql).matches();
    }

    boolean acts() {
        return ACTS.matcher(sql).matches();
    }

    /** Its data comes after it, so its answer cannot be kept from the client; inside a transaction the commit counts. */
    boolean isCopy() {
        return sql.stripLeading().regionMatches(true, 0, "COPY", 0, 4);
    }

    /** Short, on one line and without values. */
    String shown() {
        var line = VALUES.matcher(sql).replaceAll("?").replaceAll("\\s+", " ").strip();
        return line.length() <= SHOWN ? line : line.substring(0, SHOWN);
    }
}
