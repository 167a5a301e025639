package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.MoveReport.Failure;
import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.postgres.fence.NewerFence;
import io.shardwright.routing.Scope;
import java.sql.SQLException;
import java.util.SortedSet;

/** Why a command of a mover ended without its effect: what was seen and what to do, ready for a status. */
public final class MoverFault extends Exception {
    private static final long serialVersionUID = 1L;
    private static final String DISK_FULL = "53100";

    private final transient Failure failure;

    public MoverFault(Kind kind, boolean curable, String message, String nextAction, Throwable cause) {
        super(message, cause);
        failure = new Failure(kind, curable, message, nextAction);
    }

    public Failure failure() {
        return failure;
    }

    public Kind kind() {
        return failure.kind();
    }

    /** A connection or statement failed; whether it took effect is unknown, so the truth is read again. */
    public static MoverFault of(ShardException e) {
        return new MoverFault(Kind.UNREACHABLE, !e.lasting(), e.getMessage(), nextAction(e), e);
    }

    private static String nextAction(ShardException e) {
        if (e.lasting()) {
            return "change what the message names, then abort or retry";
        }
        return DISK_FULL.equals(state(e))
                ? "make room on the disk of the shard that is named, or abort the move; the step is repeated until then"
                : "nothing for now: the databases are read again and the step is repeated";
    }

    private static String state(ShardException e) {
        return e.getCause() instanceof SQLException sql ? sql.getSQLState() : null;
    }

    /** A server that answers has refused a write, and would refuse the next one, too. */
    boolean refusesWrites() {
        return getCause() instanceof ShardException e && DISK_FULL.equals(state(e));
    }

    static MoverFault sourceReadOnly(MoverFault refused, String source) {
        return new MoverFault(
                Kind.SOURCE_READ_ONLY,
                true,
                refused.getMessage(),
                "let shard " + source + " take writes again: make room on its disk; it is tried again",
                refused);
    }

    public static MoverFault superseded() {
        return new MoverFault(
                Kind.SUPERSEDED,
                true,
                "another mover has taken this move over: its token is in the databases now",
                "nothing: the other mover goes on, and this one looks again in a few seconds",
                null);
    }

    public static MoverFault positionLost(String seen) {
        return new MoverFault(
                Kind.POSITION_LOST,
                true,
                seen,
                "nothing: the stream is resumed, or the copy made again; buckets that are fenced already go back to the source",
                null);
    }

    public static MoverFault decidedAgainst(SortedSet<Scope> scopes) {
        return new MoverFault(
                Kind.DECIDED_AGAINST,
                false,
                Scope.words(scopes) + ": the move was decided against (fence state ABORTED on the target)",
                "nothing: the source takes these buckets back, then the abort is finished",
                null);
    }

    public static MoverFault diverged(String seen) {
        return new MoverFault(
                Kind.DIVERGED,
                true,
                seen,
                "find out who wrote to the target past the fence; nothing is switched, and the copy is made again",
                null);
    }

    public static MoverFault blocked(String seen, String nextAction) {
        return new MoverFault(Kind.OTHER, true, seen, nextAction, null);
    }

    /** Whoever knows that fence goes on; until then nobody changes anything, and what is fenced stays fenced. */
    public static MoverFault newerFence(String shard, String seen) {
        return blocked(
                "shard " + shard + ": " + seen,
                NewerFence.REMEDY
                        + ": this one only waits, and neither goes on with the move nor decides about a bucket of it");
    }

    /** The operator ends, or the move was taken from this mover. */
    public static MoverFault closed() {
        return blocked("the mover was closed", "nothing: whoever holds the move next goes on from the databases");
    }

    /** Something that no rule foresees; the truth is read again before anything else happens. */
    public static MoverFault unexpected(Throwable cause) {
        return new MoverFault(
                Kind.OTHER,
                true,
                "the mover stopped: " + cause,
                "see the operator's log; the step is repeated from what the databases say",
                cause);
    }

    public static MoverFault schemaChanged(String seen) {
        return new MoverFault(
                Kind.SCHEMA_CHANGED,
                true,
                seen,
                "make the tables equal on both shards (or undo the change), then the copy is made again",
                null);
    }
}
