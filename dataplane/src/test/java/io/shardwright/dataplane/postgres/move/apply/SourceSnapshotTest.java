package io.shardwright.dataplane.postgres.move.apply;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class SourceSnapshotTest {
    @Test
    void seesWhatWasFinishedAndNotWhatWasOpenOrCameLater() {
        SourceSnapshot snapshot = SourceSnapshot.parse("10:20:12,15");
        assertThat(List.of(
                        snapshot.sees(9), snapshot.sees(11), snapshot.sees(12), snapshot.sees(20), snapshot.sees(25)))
                .containsExactly(true, true, false, false, false);
    }

    @Test
    void comparesAcrossTheWrapOfThirtyTwoBits() {
        SourceSnapshot snapshot = SourceSnapshot.parse("4294967290:4294967300:4294967297");
        assertThat(snapshot.sees(-7)).isTrue();
        assertThat(snapshot.sees(3)).isTrue();
        assertThat(snapshot.sees(1)).isFalse();
        assertThat(snapshot.sees(4)).isFalse();
    }

    @Test
    void keysAreForgottenOnlyWhenEveryLaterSnapshotSeesThem() {
        TouchedKeys touched = new TouchedKeys();
        RowKey old = new RowKey("t", List.of("1"));
        RowKey open = new RowKey("t", List.of("2"));
        touched.record(9, List.of(old));
        touched.record(12, List.of(open));
        touched.forgetBefore(10);
        touched.pin(SourceSnapshot.parse("10:20:12"));
        assertThat(touched.unseen()).containsExactly(open);
        touched.forgetBefore(30);
        assertThat(touched.unseen()).as("pinned").containsExactly(open);
    }
}
