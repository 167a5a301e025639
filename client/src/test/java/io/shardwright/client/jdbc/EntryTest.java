package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class EntryTest {
    @Test
    void keysOfStringsCannotEndTheirLiteral() {
        assertThat(Entry.literalsFor(List.of(new Entry(3, "a'); DROP TABLE orders; --\\"))))
                .isEqualTo("SELECT shardwright.enter(3, E'a''); DROP TABLE orders; --\\\\', NULL);\n");
    }
}
