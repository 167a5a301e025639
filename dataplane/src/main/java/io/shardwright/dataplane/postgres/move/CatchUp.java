package io.shardwright.dataplane.postgres.move;

import io.shardwright.dataplane.MoveReport.Progress;
import io.shardwright.dataplane.MoveReport.Stage;
import io.shardwright.dataplane.postgres.move.apply.Streaming;
import io.shardwright.dataplane.postgres.move.switchover.SwitchGate;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import java.time.Duration;

/** Waits for the stream to come near the end of the source's log; says meanwhile how far it is. */
final class CatchUp {
    private static final Duration SHOW_EVERY = Duration.ofSeconds(2);

    private final Streaming streaming;
    private final ReportBoard board;

    CatchUp(Streaming streaming, ReportBoard board) {
        this.streaming = streaming;
        this.board = board;
    }

    /** @param reached the stage of a stream that is near the end of the log */
    void run(Stage reached) throws MoverFault {
        SwitchGate gate = new SwitchGate(streaming);
        while (!streaming.pulse().markerArrives(SHOW_EVERY)) {
            show(gate.lagBytes());
        }
        show(gate.lagBytes());
        streaming.pulse().samples().forget();
        board.stage(reached);
    }

    private void show(long lag) {
        Progress now = board.get().progress();
        board.progress(new Progress(now.rowsCopied(), now.rowsTotal(), now.bytesPerSecond(), lag));
    }
}
