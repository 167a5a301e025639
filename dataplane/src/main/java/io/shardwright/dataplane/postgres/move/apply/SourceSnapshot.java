package io.shardwright.dataplane.postgres.move.apply;

import java.util.HashSet;
import java.util.Set;

/**
 * Which transactions a snapshot of the source sees. Ids of the stream have 32 bits and wrap, so they are compared as the
 * server does: by the sign of the difference.
 */
public record SourceSnapshot(int xmin, int xmax, Set<Integer> open) {
    /** @param text of {@code pg_current_snapshot()}: xmin:xmax:open,open,.. */
    public static SourceSnapshot parse(String text) {
        String[] parts = text.split(":", -1);
        Set<Integer> open = new HashSet<>();
        for (String xid : parts[2].split(",", -1)) {
            if (!xid.isEmpty()) {
                open.add((int) Long.parseLong(xid));
            }
        }
        return new SourceSnapshot((int) Long.parseLong(parts[0]), (int) Long.parseLong(parts[1]), Set.copyOf(open));
    }

    public boolean sees(int xid) {
        if (precedes(xid, xmin)) {
            return true;
        }
        return precedes(xid, xmax) && !open.contains(xid);
    }

    static boolean precedes(int xid, int other) {
        return xid - other < 0;
    }
}
