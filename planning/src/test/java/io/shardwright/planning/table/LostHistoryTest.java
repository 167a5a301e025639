package io.shardwright.planning.table;

import static io.shardwright.planning.table.TableFixture.aTable;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.routing.RoutingTable;
import io.shardwright.routing.TableInvariants;
import io.shardwright.routing.TableOrder;
import java.util.List;
import java.util.Optional;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class LostHistoryTest {
    private static final TableOrder STORED = new TableOrder(3, 40, 44);

    private static Witness has(long incarnation, long revision, long generation) {
        return new Witness("web-0 (web)", new TableOrder(incarnation, revision, generation), false);
    }

    private static Optional<LostHistory> with(Witness... witnesses) {
        return LostHistory.of(List.of(witnesses), STORED);
    }

    private static RoutingTable table(TableOrder order, long epoch, long writerEpoch) {
        RoutingTable table = aTable(4, epoch).withOrder(order);
        return new RoutingTable(
                table.order(),
                writerEpoch,
                table.cluster(),
                table.engine(),
                table.keyType(),
                table.bucketing(),
                table.bucketMap(),
                table.epochs(),
                table.pins(),
                table.handovers(),
                table.shards());
    }

    /** Whatever a router has of the lost history, it follows: at once, or after its acknowledgement or refusal was heard. */
    @Property
    void noRouterIgnoresTheTableForEver(
            @ForAll @LongRange(min = 1, max = 4) long incarnation,
            @ForAll @LongRange(min = 1, max = 60) long revision,
            @ForAll @LongRange(min = 1, max = 60) long generation,
            @ForAll @LongRange(min = 1, max = 9) long writerEpoch,
            @ForAll @LongRange(min = 1, max = 9) long storedBy) {
        RoutingTable router = table(new TableOrder(incarnation, revision, generation), 5, writerEpoch);
        RoutingTable stored = table(STORED, 2, storedBy);
        boolean ignored = stored.order().compareTo(router.order()) < 0;
        boolean refused = !ignored && !TableInvariants.check(router, stored).isEmpty();

        Optional<LostHistory> lost = with(new Witness("web-0 (web)", router.order(), refused));

        assertThat(lost.isPresent()).isEqualTo(ignored || refused);
        lost.ifPresent(found -> {
            RoutingTable next = table(found.next(), 2, storedBy);
            assertThat(next.order()).isGreaterThan(router.order());
            assertThat(TableInvariants.check(router, next)).isEmpty();
            assertThat(TableInvariants.checkWrite(stored, next)).isEmpty();
            assertThat(LostHistory.of(List.of(found.witness()), found.next())).isEmpty();
        });
    }

    /** Contrast: what follows in the same incarnation is ignored until it has caught up by chance. */
    @Test
    void inTheSameIncarnationARouterWithANewerTableIgnoresWhatFollows() {
        RoutingTable router = table(new TableOrder(3, 57, 60), 5, 4);
        RoutingTable next = table(new TableOrder(3, 41, 45), 2, 4);

        assertThat(TableInvariants.check(router, next)).isNotEmpty();
    }

    @Test
    void everyGenerationCounts() {
        assertThat(with(has(3, 40, 44))).isEmpty();
        assertThat(with(has(3, 40, 45))).isPresent();
        assertThat(with(has(2, 57, 60))).isEmpty();
    }

    @Test
    void theNewestWitnessDecidesAndIsNamed() {
        LostHistory lost = with(has(3, 50, 50), has(4, 2, 2), has(3, 57, 57)).orElseThrow();

        assertThat(lost.next()).isEqualTo(new TableOrder(5, 41, 44));
        assertThat(lost.story())
                .contains(
                        "web-0 (web) has revision 2 of incarnation 4, the stored one is revision 40 of incarnation 3");
    }

    @Test
    void nobodyUsesUpTheNumbersOfIncarnations() {
        assertThat(with(has(1_004, 1, 1))).isEmpty();
        assertThat(with(has(1_003, 1, 1))).isPresent();
        assertThat(LostHistory.first(List.of(has(9_007_199_254_740_991L, 1, 1)), true))
                .isEqualTo(2);
    }

    @Test
    void aFirstTableIsAboveWhatAnybodyHas() {
        assertThat(LostHistory.first(List.of(), false)).isEqualTo(1);
        assertThat(LostHistory.first(List.of(), true)).isEqualTo(2);
        assertThat(LostHistory.first(List.of(has(1, 57, 60), has(2, 1, 1)), false))
                .isEqualTo(3);
    }

    @Test
    void aRefusalOfAnEarlierIncarnationIsOver() {
        assertThat(with(new Witness("web-0 (web)", new TableOrder(3, 40, 44), true)))
                .isPresent();
        assertThat(with(new Witness("web-0 (web)", new TableOrder(2, 40, 44), true)))
                .isEmpty();
    }
}
