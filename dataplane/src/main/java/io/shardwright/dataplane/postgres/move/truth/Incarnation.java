package io.shardwright.dataplane.postgres.move.truth;

import io.shardwright.dataplane.MoveReport.Failure.Kind;
import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.probe.MoveValidation;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * One mover of one move, from its claim on. The token is new for each incarnation: it is in the name of its sessions, in
 * the progress row of the target, in the claim on the source and in every cleanup record, and whoever does not find his
 * token there any more is a zombie and changes nothing.
 */
public final class Incarnation implements AutoCloseable {
    /** Prefix of the message in the source's log by which a mover marks a transaction as its own. */
    public static final String TOKEN_PREFIX = "shardwright.token";

    private final MoveTask task;
    private final String token;
    private final Side source;
    private final Side target;
    private final StepBoundary boundary;

    public Incarnation(MoveTask task, PostgresSessions sessions, StepBoundary boundary, RandomGenerator random) {
        this.task = task;
        this.boundary = boundary;
        token = HexFormat.of().toHexDigits(random.nextLong());
        boolean acceptAsync = task.limits().acceptAsyncStandby();
        source = new Side(sessions, task.source(), sessionName(), acceptAsync);
        target = new Side(sessions, task.target(), sessionName(), acceptAsync);
    }

    public MoveTask task() {
        return task;
    }

    public UUID moveId() {
        return task.moveId();
    }

    public String token() {
        return token;
    }

    public Side source() {
        return source;
    }

    public Side target() {
        return target;
    }

    public String sessionName() {
        return sessionPrefix() + token;
    }

    /** Sessions of all movers of this move begin so. */
    public String sessionPrefix() {
        return "shardwright/" + hex() + "/";
    }

    public String slot() {
        return MoveValidation.slotName(task);
    }

    /** Whether this is a move of its own or takes one back; the progress row says so. */
    public String direction() {
        return task.reversalOf().isPresent() ? "R" : "F";
    }

    private String hex() {
        return task.moveId().toString().replace("-", "");
    }

    /** What a step does. */
    @FunctionalInterface
    public interface Effect<T> {
        T happen() throws MoverFault;
    }

    public <T> T step(MoverStep step, Effect<T> effect) throws MoverFault {
        before(step);
        T result = effect.happen();
        done(step);
        return result;
    }

    public void before(MoverStep step) {
        boundary.before(step, moveId());
    }

    public void done(MoverStep step) {
        boundary.done(step, moveId());
    }

    /**
     * Becomes the only mover of the move. Sessions of older ones are ended before the claim, because a frozen one may hold
     * the very rows that a claim writes, and after it, because one may have opened others meanwhile. The movers of a newer operator are left alone.
     */
    public ProgressRow takeOver() throws MoverFault {
        target.refuseNewerFence();
        source.refuseNewerFence();
        terminate(sessionPrefix());
        ProgressRow progress = claim();
        terminate(sessionPrefix());
        return progress;
    }

    /** Takes the move over on both sides; all older movers fail at their next transaction. */
    private ProgressRow claim() throws MoverFault {
        return step(MoverStep.CLAIM_TOKEN, () -> {
            ProgressRow progress = claimTarget();
            claimSource();
            target.read("look whether the claim holds", connection -> {
                ProgressRow.lock(connection, this);
                return null;
            });
            return progress;
        });
    }

    private ProgressRow claimTarget() throws MoverFault {
        return target.commit("claim the move", connection -> {
            ProgressRow row = ProgressRow.claim(connection, this);
            CleanupRecords.claim(connection, moveId(), token);
            return row;
        });
    }

    private void claimSource() throws MoverFault {
        writeSource(() -> source.commit("claim the move", connection -> {
            SourceClaim.take(connection, moveId(), token);
            CleanupRecords.claim(connection, moveId(), token);
            return null;
        }));
    }

    /**
     * As {@link #takeOver}, also where the source takes no writes and so cannot be claimed. That is enough for who brings what is
     * fenced to the target without the stream: an older mover finds another token there, whatever it still does on the source.
     *
     * @return whether the source takes writes, and is claimed as ever
     */
    public boolean takeOverTarget() throws MoverFault {
        terminate(sessionPrefix());
        boolean both = step(MoverStep.CLAIM_TOKEN, () -> {
            claimTarget();
            return sourceTakesWrites();
        });
        terminate(sessionPrefix());
        return both;
    }

    /** Asks by the claim; where it does, no older mover has one any more. */
    public boolean sourceTakesWrites() throws MoverFault {
        try {
            claimSource();
            return true;
        } catch (MoverFault fault) {
            if (fault.kind() != Kind.SOURCE_READ_ONLY) {
                throw fault;
            }
            return false;
        }
    }

    /** @throws MoverFault SOURCE_READ_ONLY when the source refuses the write as it would any other */
    public <T> T writeSource(Effect<T> write) throws MoverFault {
        try {
            return write.happen();
        } catch (MoverFault fault) {
            throw fault.refusesWrites() ? MoverFault.sourceReadOnly(fault, source.shard()) : fault;
        }
    }

    /** Progress, claim and heartbeats of a move that has nothing left to do. */
    public void forget() throws MoverFault {
        step(MoverStep.REMOVE_RECORDS, () -> {
            source.commit("remove the claim", connection -> {
                if (!CleanupRecords.any(connection, moveId())) {
                    SourceClaim.delete(connection, moveId(), token);
                }
                return null;
            });
            target.commit("remove the progress row", connection -> {
                if (!CleanupRecords.any(connection, moveId())) {
                    ProgressRow.delete(connection, this);
                    SourceClaim.delete(connection, moveId(), token);
                }
                return null;
            });
            return null;
        });
    }

    /** Ends sessions by the beginning of their name, on the target first: there lies the row that decides. */
    public void terminate(String namePrefix) throws MoverFault {
        step(MoverStep.TERMINATE_SESSIONS, () -> {
            for (Side side : List.of(target, source)) {
                side.read(
                        "end sessions of a mover", connection -> Side.terminate(connection, namePrefix, sessionName()));
            }
            return null;
        });
    }

    @Override
    public void close() {
        source.close();
        target.close();
    }
}
