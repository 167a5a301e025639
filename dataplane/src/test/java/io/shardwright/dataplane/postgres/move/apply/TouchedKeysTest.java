package io.shardwright.dataplane.postgres.move.apply;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class TouchedKeysTest {
    private static final RowKey ROW = new RowKey("public.orders", List.of("17", "1"));

    private final TouchedKeys touched = new TouchedKeys();

    /** A heartbeat comes between the snapshot and the moment in which its text is read. */
    @Test
    void whatEndsWhileASnapshotIsBeingTakenIsNotForgotten() {
        touched.hold();
        SourceSnapshot snapshot = SourceSnapshot.parse("100:100:");
        touched.record(100, List.of(ROW));
        touched.forgetBefore(101);
        touched.pin(snapshot);
        touched.forgetBefore(102);
        assertThat(touched.unseen()).containsExactly(ROW);
    }

    @Test
    void whatNobodyAsksAboutIsForgotten() {
        SourceSnapshot snapshot = SourceSnapshot.parse("100:100:");
        touched.hold();
        touched.pin(snapshot);
        touched.release();
        touched.record(100, List.of(ROW));
        touched.forgetBefore(101);
        touched.pin(snapshot);
        assertThat(touched.unseen()).isEmpty();
    }
}
