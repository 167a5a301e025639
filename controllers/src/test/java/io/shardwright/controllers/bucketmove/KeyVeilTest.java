package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.Condition;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.routing.Scope;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyVeilTest {
    private static final Scope SHORT = Scope.key("42", 3).hidden();
    private static final Scope LONG = Scope.key("kim@example.org", 3).hidden();
    private static final KeyVeil VEIL = KeyVeil.of(List.of(SHORT, LONG));

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Key (tenant_id, id)=(42, 7) already exists.      | Key (tenant_id, id)=($42, 7) already exists.",
                "Failing row contains (7, 42, x).                 | Failing row contains (7, $42, x).",
                "no row of k:42 on ds-hot                         | no row of k:$42 on ds-hot",
                "invalid input '42' at 42 bytes, 142, (421)       | invalid input '$42' at 42 bytes, 142, (421)",
                "42 of 42 keys are owned by ds-42                 | 42 of 42 keys are owned by ds-42",
                "kim@example.org is there, xkim@example.org is not | $kim is there, xkim@example.org is not"
            })
    void takesKeysOutWhereAValueStands(String text, String veiled) {
        assertThat(VEIL.over(text))
                .isEqualTo(veiled.replace("$42", SHORT.toString()).replace("$kim", LONG.toString()));
    }

    @Test
    void everyTextOfAStatusIsVeiled() {
        String told = "the row (42, 1)";
        BucketMoveStatus status = new BucketMoveStatus(
                1L,
                "Blocked",
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                List.of(new io.shardwright.crds.Blocker("Session", "pid 1", null, told)),
                told,
                List.of(new BucketMoveStatus.Transition("2026-03-01T08:00:00Z", "Copying", "Blocked", told)),
                List.of(new Condition("Progressing", "False", "Blocked", told, "2026-03-01T08:00:00Z", 1L)));

        assertThat(VEIL.over(status).toString()).contains(SHORT.toString()).doesNotContain("(42");
        assertThat(KeyVeil.of(List.of(Scope.key("42", 3))).over(status)).isSameAs(status);
    }
}
