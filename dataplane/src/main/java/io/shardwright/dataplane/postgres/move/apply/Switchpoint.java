package io.shardwright.dataplane.postgres.move.apply;

import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import java.sql.SQLException;
import java.util.List;

/** What the applier does when the stream brings the marker of a switch; runs on the applier's thread. */
public interface Switchpoint {
    /** The transaction is this switch's own fence: our move, our token. */
    boolean isMarker(SourceTransaction transaction);

    /**
     * Activates: the tail up to and including the marker, the progress row and the fence rows, in one transaction.
     *
     * @param tail transactions that are not written yet; the last one is the marker
     */
    void reached(GroupApplier applier, List<SourceTransaction> tail) throws SQLException, MoverFault;

    /** The stream ends, before the marker came or while {@link #reached} waits for something else. */
    void failed(MoverFault fault);
}
