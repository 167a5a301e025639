package io.shardwright.controllers.bucketmove;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveReport;
import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.MoveReport.Verification;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.planning.moves.MoveObservation.GateCause;
import java.util.List;
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
        MoveReport report = new MoveReport(
                Optional.empty(),
                false,
                Optional.empty(),
                Stage.VERIFIED,
                progress,
                Verification.NONE,
                Optional.of(410.0),
                false,
                "predicted hold 410 ms is above the budget of 300 ms",
                List.of(),
                Optional.empty());
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
