package io.shardwright.planning.table;

import io.shardwright.routing.TableOrder;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * The stored table is older than one that somebody has, as after a restore of etcd. Routers ignore it, and would ignore all
 * that follow it, until an incarnation begins that is above everything they have.
 *
 * @param stored read from the API server's newest state after the witness was heard
 */
public record LostHistory(Witness witness, TableOrder stored) {
    /** More than restores will ever make: who shows more is not believed, else one word could use all numbers up. */
    private static final long BELIEVED = 1_000;

    /** The one with the highest order that is to be believed; empty when nobody contradicts what is stored. */
    public static Optional<LostHistory> of(Collection<Witness> witnesses, TableOrder stored) {
        return witnesses.stream()
                .filter(witness -> believable(witness.order(), stored.incarnation()))
                .filter(witness -> witness.contradicts(stored))
                .max(Comparator.comparing(Witness::order).thenComparing(Witness::who, Comparator.reverseOrder()))
                .map(witness -> new LostHistory(witness, stored));
    }

    /**
     * Incarnation of a table where none is stored.
     *
     * @param hadTable the cluster has had one: then routers that nobody has heard yet may have it still
     */
    public static long first(Collection<Witness> witnesses, boolean hadTable) {
        long heard = witnesses.stream()
                .filter(witness -> believable(witness.order(), 0))
                .mapToLong(witness -> witness.order().incarnation())
                .max()
                .orElse(0);
        return Math.max(heard, hadTable ? 1 : 0) + 1;
    }

    /** Whether a table of this order can be of the cluster, as far as the incarnation says. */
    public static boolean believable(TableOrder order, long incarnation) {
        return order.incarnation() - incarnation <= BELIEVED;
    }

    /** Order of the table that is written over the stored one: newer than the witness's, whatever its revision. */
    public TableOrder next() {
        return new TableOrder(
                Math.max(witness.order().incarnation(), stored.incarnation()) + 1,
                stored.revision() + 1,
                stored.generation());
    }

    /** What was seen, for people. */
    public String story() {
        return "the history of the routing table was lost, as after a restore of etcd: " + witness.who()
                + (witness.refuses() ? " refuses the stored one, " + name(stored) + ", because it has " : " has ")
                + name(witness.order())
                + (witness.refuses() ? "" : ", the stored one is " + name(stored));
    }

    private static String name(TableOrder order) {
        return "revision " + order.revision() + " of incarnation " + order.incarnation();
    }
}
