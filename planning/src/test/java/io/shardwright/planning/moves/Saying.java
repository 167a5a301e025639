package io.shardwright.planning.moves;

import static org.assertj.core.api.Assertions.assertThat;

/** One sentence of a table: what the planner says, in a few words, to what is seen. */
record Saying(String name, Sight sight, String expected) {
    static Saying of(String name, Sight sight, String expected) {
        return new Saying(name, sight, expected);
    }

    void holds() {
        assertThat(sight.says()).isEqualTo(expected);
    }

    @Override
    public String toString() {
        return name;
    }
}
