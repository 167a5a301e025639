package io.shardwright.controllers.shardcluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.routingtable.RoutingTable;
import io.shardwright.crds.routingtable.RoutingTableStatus;
import io.shardwright.planning.acks.AckGate;
import io.shardwright.routing.Role;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TableStatusesTest {
    @Test
    void whoHoldsTheGateIsNamedBesideTheCounts() {
        RoutingTableStatus status = status(
                new AckGate.Holder("orders-web-7 (web)", "is at revision 6 of 7: wait"),
                new AckGate.Holder("role worker", "has no live instance: start one"));

        assertThat(status.observedGeneration()).isEqualTo(9);
        assertThat(status.acked().web()).isEqualTo("1/2");
        assertThat(status.missing())
                .containsExactly(
                        new RoutingTableStatus.Missing("orders-web-7 (web)", "is at revision 6 of 7: wait"),
                        new RoutingTableStatus.Missing("role worker", "has no live instance: start one"));
    }

    @Test
    void whenNobodyHoldsItNobodyIsNamed() {
        assertThat(status().missing()).isEmpty();
    }

    /** A router that nobody has declared chooses its name itself; a status that is refused would end every pass of the cluster. */
    @Test
    void aNameThatTheFieldDoesNotTakeIsCut() {
        RoutingTableStatus status = status(new AckGate.Holder("x".repeat(5000), "y".repeat(5000)));

        assertThat(status.missing()).singleElement().satisfies(one -> {
            assertThat(one.name()).hasSize(RoutingTableStatus.NAME_MAX);
            assertThat(one.reason()).hasSizeLessThanOrEqualTo(1024);
        });
    }

    private static RoutingTableStatus status(AckGate.Holder... holding) {
        RoutingTable object = new RoutingTable();
        object.getMetadata().setGeneration(9L);
        return TableStatuses.status(
                object, new AckGate(Map.of(Role.WEB, 2), Map.of(Role.WEB, 1), List.of(holding), true));
    }
}
