package io.shardwright.stage.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.stage.ledger.LedgerEntry.Kind;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OperationTest {
    private static final long TENANT = 7;

    private final OrderRows rows = new OrderRows();
    private final Operation.Choice choice = new Operation.Choice(rows, "3");
    private final Random random = new Random(11);
    private long ids;

    private void acknowledge(Operation operation) {
        operation.effects().forEach(effect -> effect.landed().with(++ids));
        if (operation.keepsOrder()) {
            operation.order().ifPresent(rows::giveBack);
        }
    }

    @Test
    void noRowHasTwoOperationsAtATime() {
        List<Operation> underWay = new ArrayList<>();
        Set<String> busy = new HashSet<>();
        EnumSet<Kind> kinds = EnumSet.noneOf(Kind.class);
        for (int step = 0; step < 5_000; step++) {
            if (underWay.size() > 5) {
                Operation done = underWay.remove(random.nextInt(underWay.size()));
                done.effects().forEach(effect -> busy.remove(effect.row()));
                acknowledge(done);
            }
            Operation next = choice.next(TENANT, random.nextBoolean(), random);
            next.effects().forEach(effect -> {
                assertThat(busy.add(effect.row())).as(effect.row()).isTrue();
                kinds.add(effect.kind());
            });
            underWay.add(next);
        }
        assertThat(kinds).containsExactlyInAnyOrder(Kind.INSERT, Kind.UPDATE, Kind.DELETE);
    }

    @Test
    void aRowWithoutAnAcknowledgementIsNeverTouchedAgain() {
        acknowledge(choice.next(TENANT, false, random));
        Operation lost = choice.next(TENANT, true, random);
        while (lost.order().isEmpty()) {
            acknowledge(lost);
            lost = choice.next(TENANT, true, random);
        }
        String row = lost.order().get().name();
        for (int step = 0; step < 500; step++) {
            Operation next = choice.next(TENANT, random.nextBoolean(), random);
            assertThat(next.effects()).noneMatch(effect -> effect.row().equals(row));
            acknowledge(next);
        }
    }

    @Test
    void anOrderIsDeletedOnlyWhenItHasNoItems() {
        for (int step = 0; step < 5_000; step++) {
            Operation next = choice.next(TENANT, random.nextBoolean(), random);
            boolean deletesOrder = next.effects().stream()
                    .anyMatch(effect ->
                            effect.kind() == Kind.DELETE && effect.row().startsWith("w-o-"));
            assertThat(deletesOrder && !next.order().get().items().isEmpty()).isFalse();
            assertThat(deletesOrder && next.keepsOrder()).isFalse();
            acknowledge(next);
        }
    }
}
