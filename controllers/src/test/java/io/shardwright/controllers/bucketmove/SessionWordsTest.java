package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SessionWordsTest {
    private static final String SHUT =
            "a transaction on the buckets is older than 150 ms: [pid 4711 user app 'orders-web'"
                    + " 3.4 s, pid 12 user psql '' 31 s]";

    @Test
    void aTextThatNamesSessionsStaysTheSameWhileTheyGrowOlder() {
        assertThat(SessionWords.withoutAges(SHUT))
                .isEqualTo("a transaction on the buckets is older than 150 ms: [pid 4711 user app 'orders-web', pid 12"
                        + " user psql '']")
                .isEqualTo(SessionWords.withoutAges(SHUT.replace("3.4 s", "77 s")));
    }

    @Test
    void sessionsAreFoundInAText() {
        assertThat(SessionWords.in(SHUT)).containsExactly("pid 4711 user app 'orders-web'", "pid 12 user psql ''");
        assertThat(SessionWords.in("the stream is 9 B behind, more than 5 B")).isEqualTo(List.of());
    }
}
