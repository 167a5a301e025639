package io.shardwright.controllers.routing;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.table.Witness;
import io.shardwright.routing.Bucketing;
import io.shardwright.routing.HashFunction;
import io.shardwright.routing.KeyType;
import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.RunLengthMap;
import io.shardwright.routing.ShardEntry;
import io.shardwright.routing.ShardRole;
import io.shardwright.routing.TableInvariants;
import io.shardwright.routing.TableOrder;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TableSuccessionTest {
    private static RoutingTable table(long revision, long writerEpoch, String owner) {
        return new RoutingTable(
                new TableOrder(3, revision, revision),
                writerEpoch,
                "orders",
                "PostgreSQL",
                KeyType.INT64,
                new Bucketing(HashFunction.MD5, 2),
                RunLengthMap.filled(2, owner),
                RunLengthMap.filled(2, 1L),
                new TreeMap<>(),
                List.of(),
                new TreeMap<>(Map.of(owner, new ShardEntry(ShardRole.GENERAL, owner, 5432))));
    }

    @Test
    void theFirstTableBeginsWithWriterEpochOneAndItsOwnOrder() {
        assertThat(TableSuccession.next(null, table(1, 9, "ds-0"), 0)).isEqualTo(table(1, 1, "ds-0"));
    }

    @Test
    void aChangeAddsOneToTheRevision() {
        RoutingTable next = TableSuccession.next(table(7, 4, "ds-0"), table(7, 4, "ds-1"), 4);

        assertThat(next.order().revision()).isEqualTo(8);
        assertThat(next.order().incarnation()).isEqualTo(3);
        assertThat(next.writerEpoch()).isEqualTo(4);
    }

    @Test
    void theSameContentOfTheSameTermIsNoWrite() {
        RoutingTable stored = table(7, 4, "ds-0");

        assertThat(TableSuccession.next(stored, stored, 4)).isEqualTo(stored);
    }

    @Test
    void aTableOfALostHistoryGoesOnInANewIncarnationAndStillAddsOne() {
        RoutingTable stored = table(7, 4, "ds-0");

        RoutingTable next = TableSuccession.anew(stored, stored, 4, has(3, 57));

        assertThat(next.order()).isEqualTo(new TableOrder(4, 8, 7));
        assertThat(next.writerEpoch()).isEqualTo(4);
        assertThat(TableInvariants.checkWrite(stored, next)).isEmpty();
        assertThat(TableInvariants.check(table(57, 9, "ds-1"), next)).isEmpty();
    }

    @Test
    void aTableThatNobodyContradictsIsNotPublishedAnew() {
        RoutingTable stored = table(7, 4, "ds-0");

        assertThat(TableSuccession.anew(stored, stored, 4, has(3, 7))).isEqualTo(stored);
        assertThat(TableSuccession.anew(stored, stored, 4, has(2, 57))).isEqualTo(stored);
    }

    private static Witness has(long incarnation, long revision) {
        return new Witness("web-0 (web)", new TableOrder(incarnation, revision, revision), false);
    }

    @Test
    void aNewTermClaimsTheTableWithoutChangingItsRevision() {
        assertThat(TableSuccession.next(table(7, 4, "ds-0"), table(7, 4, "ds-0"), 0))
                .isEqualTo(table(7, 5, "ds-0"));
    }
}
