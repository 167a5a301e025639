package io.shardwright.dataplane.postgres.move.apply;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.MoveTask;
import io.shardwright.dataplane.MoveTask.Limits;
import io.shardwright.dataplane.StepBoundary;
import io.shardwright.dataplane.postgres.PostgresSessions;
import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.dataplane.postgres.move.truth.Incarnation;
import io.shardwright.dataplane.postgres.move.truth.MoverFault;
import io.shardwright.routing.FenceState;
import io.shardwright.routing.Scope;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.replication.LogSequenceNumber;

/** What a group holds while it is open, and how long it may stand still. */
class GroupApplierIT {
    private static final LogSequenceNumber BEGIN = LogSequenceNumber.valueOf("0/100");
    private static final LogSequenceNumber END = LogSequenceNumber.valueOf("0/200");
    private static ShopDatabase shop;

    private final UUID move = UUID.randomUUID();
    private Incarnation incarnation;
    private GroupApplier applier;

    @BeforeAll
    static void prepareShop() {
        shop = ShopDatabase.fenced(SharedServers.of(Version.OLDEST), "group_applier");
    }

    @BeforeEach
    void prepareMove() throws MoverFault {
        MoveTask task = new MoveTask(
                move,
                "orders",
                shop.access("ds-0"),
                shop.access("ds-4"),
                ShopDatabase.SCHEMA,
                Scope.buckets(17, 18),
                Limits.defaults());
        incarnation = new Incarnation(task, new PostgresSessions(), StepBoundary.NONE, new Random(1));
        shop.plant("INSERT INTO shardwright.move_progress (move_id, direction, token, position) VALUES ('" + move
                + "', 'F', '" + incarnation.token() + "', '0/100')");
        shop.setFence(17, FenceState.IMPORTING, 1, null, move);
        shop.setFence(18, FenceState.IMPORTING, 1, null, move);
        applier = new GroupApplier(incarnation, Scope.buckets(17, 18), BEGIN, List.of());
    }

    @AfterEach
    void end() {
        incarnation.close();
    }

    private String idleLimit() throws SQLException {
        try (Statement statement = applier.connection().createStatement();
                ResultSet row = statement.executeQuery("SHOW idle_in_transaction_session_timeout")) {
            row.next();
            return row.getString(1);
        }
    }

    /** The source may send for long what does not travel, in the middle of one transaction. */
    @Test
    void aGroupMayStayOpenForLongAndAnActivationMayNot() throws SQLException, MoverFault {
        applier.open(END, Scope.buckets(17));
        assertThat(idleLimit()).isEqualTo("0");
        applier.commit();
        assertThat(applier.openActivation(
                        LogSequenceNumber.valueOf("0/300"),
                        new TreeMap<>(java.util.Map.of(Scope.bucket(17), 1L)),
                        Set.of()))
                .isOne();
        assertThat(idleLimit()).isEqualTo("2s");
    }

    @Test
    void aGroupLocksTheFenceRowsOfTheBucketsThatItWritesAndNoOthers() throws SQLException, MoverFault {
        applier.open(END, Scope.buckets(17));
        assertThat(isLocked(17)).isTrue();
        assertThat(isLocked(18)).isFalse();
        applier.lock(Scope.buckets(17, 18));
        assertThat(isLocked(18)).isTrue();
    }

    @Test
    void aGroupIsRefusedByTheStateOfItsOwnBucketsAndSaysWhichIsWhich() throws SQLException, MoverFault {
        shop.setFence(18, FenceState.ABORTED, 1, null, move);
        applier.open(END, Scope.buckets(17));
        applier.commit();
        assertThat(faultOf(18).kind().name()).isEqualTo("DECIDED_AGAINST");
    }

    @Test
    void aRowThatTheTargetHasLostIsNoDecision() {
        shop.setFence(18, FenceState.MOVED, 0, null, UUID.randomUUID());
        assertThat(faultOf(18).kind().name()).isEqualTo("POSITION_LOST");
    }

    @Test
    void aRowThatIsActivatedIsNoDecision() {
        shop.setFence(18, FenceState.OWNED, 2, "ds-4", move);
        MoverFault fault = faultOf(18);
        assertThat(fault.kind().name()).isEqualTo("OTHER");
        assertThat(fault).hasMessageContaining("[18] are activated already");
    }

    private MoverFault faultOf(int bucket) {
        try {
            applier.open(
                    END.equals(applier.position()) ? LogSequenceNumber.valueOf("0/300") : END, Scope.buckets(bucket));
            throw new AssertionError("opened");
        } catch (MoverFault fault) {
            return fault;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isLocked(int bucket) throws SQLException {
        try (Connection other = shop.superuser();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            try (ResultSet row = statement.executeQuery(
                    "SELECT FROM shardwright.fence WHERE scope = 'b:" + bucket + "' FOR UPDATE SKIP LOCKED")) {
                return !row.next();
            }
        }
    }
}
