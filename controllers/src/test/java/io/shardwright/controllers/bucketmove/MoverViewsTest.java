package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.ReportDraft;
import io.shardwright.planning.moves.MoveObservation.GateCause;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a planner is told of a gate that is shut. */
class MoverViewsTest {
    @ParameterizedTest
    @CsvSource({"a standby is behind,, THROTTLED", ", a slot keeps much, OVER_BUDGET", ",, OVER_BUDGET"})
    void aGateIsThrottledByWhatStopsAndNotByAWarning(String stopped, String warning, GateCause cause) {
        Progress progress = Progress.NONE.throttle(Optional.ofNullable(stopped), Optional.ofNullable(warning));
        MoveReport report = new ReportDraft(MoveReport.FRESH)
                .stage(Stage.VERIFIED)
                .progress(progress)
                .gate(false, "predicted hold 410 ms is above the budget of 300 ms", Optional.of(410.0))
                .done();
        MoverSeat.View seen = new MoverSeat.View(
                report,
                Limits.defaults(),
                0,
                OptionalLong.of(0),
                OptionalLong.of(0),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                OptionalLong.empty(),
                OptionalLong.empty());

        assertThat(MoverViews.view(seen, 0).gate().orElseThrow().cause()).isEqualTo(cause);
    }
}
