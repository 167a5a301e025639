package io.shardwright.planning.moves;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.moves.MoveStateMachine.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every cell of the table: from the row to the column. {@code .} same, {@code o} ordinary, {@code t} by truth, {@code X} forbidden. */
class MoveStateMachineTest {
    private static final String TABLE = """
                          Pe Va Pr Co Ca Ve Re Sw Pu Rb Rg Cl Su Rd Ps Bl Ag Ad Fa
            Pending       .  o  o  t  t  t  t  t  t  t  t  t  t  t  t  t  t  o  t
            Validating    X  .  o  t  t  t  t  t  t  t  t  t  t  t  t  o  t  o  o
            Preparing     X  t  .  o  t  t  t  t  t  t  t  t  t  t  o  o  o  t  t
            Copying       X  t  o  .  o  t  t  t  t  t  t  t  t  t  o  o  o  t  t
            CatchingUp    X  t  o  t  .  o  t  t  t  t  t  t  t  t  o  o  o  t  t
            Verifying     X  t  o  t  o  .  o  t  t  t  t  t  t  t  o  o  o  t  t
            Ready         X  t  o  t  o  t  .  o  t  t  t  t  t  t  o  o  o  t  t
            Switching     X  t  t  t  t  t  o  .  o  t  t  t  t  t  o  o  o  t  t
            Publishing    X  X  t  t  t  t  t  t  .  o  o  o  o  t  o  o  t  X  t
            Reversible    X  X  t  t  t  t  t  t  t  .  o  o  t  t  o  o  t  X  t
            Reversing     X  X  t  t  t  t  t  t  o  t  .  o  t  o  o  o  t  X  t
            CleaningUp    X  X  X  X  X  X  X  X  X  X  X  .  o  X  o  o  X  X  X
            Succeeded     X  X  X  X  X  X  X  X  X  X  X  X  .  X  X  X  X  X  X
            Reversed      X  X  X  X  X  X  X  X  X  X  X  X  X  .  X  X  X  X  X
            Paused        X  X  o  o  o  o  o  o  o  o  o  o  t  t  .  o  o  t  t
            Blocked       X  o  o  o  o  o  o  o  o  o  o  o  t  t  o  .  o  o  o
            Aborting      X  X  X  X  X  X  X  t  t  t  t  t  t  t  t  o  .  o  o
            Aborted       X  X  X  X  X  X  X  X  X  X  X  X  X  X  X  X  X  .  X
            Failed        X  X  X  X  X  X  X  X  X  X  X  X  X  X  X  X  X  X  .
            """;

    @Test
    void everyCellIsAsWritten() {
        List<String> expected =
                TABLE.lines().skip(1).map(line -> line.replaceAll("\\s+", " ")).toList();
        List<String> actual = new ArrayList<>();
        for (MovePhase from : MovePhase.values()) {
            String cells = List.of(MovePhase.values()).stream()
                    .map(to -> letter(MoveStateMachine.transition(from, to)))
                    .collect(Collectors.joining(" "));
            actual.add(from.wire() + " " + cells);
        }

        assertThat(actual).isEqualTo(expected);
    }

    @Test
    void whatHasEndedStays() {
        for (MovePhase from : MovePhase.values()) {
            for (MovePhase to : MovePhase.values()) {
                if (from.terminal() && from != to) {
                    assertThat(MoveStateMachine.transition(from, to))
                            .as("%s to %s", from, to)
                            .isEqualTo(Transition.FORBIDDEN);
                }
            }
        }
    }

    private static String letter(Transition transition) {
        return switch (transition) {
            case SAME -> ".";
            case ORDINARY -> "o";
            case BY_TRUTH -> "t";
            case FORBIDDEN -> "X";
        };
    }
}
