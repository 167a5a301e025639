package io.shardwright.controllers.routers;

import static org.assertj.core.api.Assertions.assertThat;

import io.javaoperatorsdk.operator.processing.event.ResourceID;
import io.shardwright.planning.table.Witness;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.Role;
import io.shardwright.routing.TableInvariants;
import io.shardwright.routing.TableOrder;
import org.junit.jupiter.api.Test;

/** What routers have said of their tables. */
class RouterGatesTest {
    private static final ResourceID ORDERS = new ResourceID("orders", "shop");

    private final AckStore acks = new AckStore();
    private final RouterGates gates = new RouterGates(null, acks, null, () -> 0);

    private void says(String pod, long incarnation, String nack) {
        acks.accept(
                "shop",
                "orders",
                new Acknowledgement(
                        pod, "boot", pod, Role.WEB, 1, "p1", incarnation, 57, 60, 57, "digest", nack, "test/1"),
                0);
    }

    @Test
    void aRouterIsAWitnessOfTheTableThatItHas() {
        says("web-0", 1, null);
        says("web-1", 0, null);

        assertThat(gates.witnesses(ORDERS))
                .containsExactly(new Witness("web-0 (web)", new TableOrder(1, 57, 60), false));
    }

    /** By the words of {@link TableInvariants}: T2 and T3 are rules between tables, T9 is one of a table. */
    @Test
    void onlyARefusalThatComparesTwoTablesSpeaksOfAnotherHistory() {
        says("web-0", 1, "T2: writerEpoch shrinks from 9 to 4");
        says("web-1", 1, "T3: revision 57 has two contents");
        says("web-2", 1, "T9: web sees a handover that workers do not");
        says("web-3", 1, "TargetUnreachable: ds-4");

        assertThat(gates.witnesses(ORDERS)).extracting(Witness::refuses).containsExactly(true, true, false, false);
    }
}
