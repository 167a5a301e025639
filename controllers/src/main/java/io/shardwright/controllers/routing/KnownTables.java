package io.shardwright.controllers.routing;

import io.shardwright.routing.TableOrder;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The last tables of one cluster by their order, so that an acknowledgement of a table that nobody published never counts. */
final class KnownTables {
    private static final int KEPT = 256;

    private final TreeMap<TableOrder, String> digests = new TreeMap<>();
    private PublishedTable newest;

    /** @return whether it is newer than all before */
    synchronized boolean add(PublishedTable table) {
        digests.put(table.table().order(), table.digest());
        while (digests.size() > KEPT) {
            digests.pollFirstEntry();
        }
        if (newest == null || table.table().order().compareTo(newest.table().order()) > 0) {
            newest = table;
            return true;
        }
        return false;
    }

    /** The object is gone; routers still have what was published. */
    synchronized void gone() {
        newest = null;
    }

    synchronized Optional<PublishedTable> newest() {
        return Optional.ofNullable(newest);
    }

    /** Order of the newest table that was ever seen, also when the object is gone or has gone back. */
    synchronized Optional<TableOrder> highest() {
        return digests.isEmpty() ? Optional.empty() : Optional.of(digests.lastKey());
    }

    /** Digests of an incarnation's tables from a revision on. */
    synchronized Set<String> digests(long incarnation, long fromRevision) {
        return digests.tailMap(new TableOrder(incarnation, fromRevision, 0), true).entrySet().stream()
                .filter(entry -> entry.getKey().incarnation() == incarnation)
                .map(Map.Entry::getValue)
                .collect(Collectors.toSet());
    }
}
