package io.shardwright.dataplane.postgres.move;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.Mover.Command;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.routing.Scope;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers that the target gives out lie beyond those of rows that come, and none is given out twice. */
class SequencesIT {
    private static final String SEQUENCE = "orders_id_seq";

    private static void begin(ShopDatabase database, long first, int increment) {
        database.plant("ALTER SEQUENCE " + SEQUENCE + " INCREMENT " + increment + " RESTART " + first);
        database.value("SELECT nextval('" + SEQUENCE + "')");
    }

    private static long last(ShopDatabase database) {
        return Long.parseLong(database.value("SELECT last_value FROM " + SEQUENCE));
    }

    private static long next(ShopDatabase database) {
        return Long.parseLong(database.value("SELECT nextval('" + SEQUENCE + "')"));
    }

    /** Shards whose numbers differ in their last digit stay so, whether the source is near or far ahead. */
    @ParameterizedTest
    @ValueSource(longs = {501, 70_000_001})
    void theTargetIsAdvancedBeyondTheSourceAndKeepsNumbersOfItsOwn(long first) {
        MovePair pair = MovePair.upwards();
        begin(pair.here, first, 10);
        begin(pair.there, 2, 10);

        try (MoverDriver mover = new MoverDriver(pair.task(17))) {
            mover.done(Command.PREPARE, Command.VERIFY);
            mover.switchGroup(Scope.buckets(17));
        }
        assertThat(MovePair.fence(pair.there, 17)).isEqualTo("OWNED 2");

        assertThat(last(pair.there)).isGreaterThan(last(pair.here)).isLessThan(first + 20_000);
        assertThat(next(pair.there) % 10).isEqualTo(2);
    }

    /** Each switch advances it while both shards give out numbers; whoever sets the sequence back gives some out twice. */
    @Test
    void noNumberIsGivenOutTwiceWhileTheTargetIsAdvanced() throws SQLException {
        MovePair pair = MovePair.upwards();
        begin(pair.here, 100_000, 1);
        begin(pair.there, 100_000, 1);
        var stop = new AtomicBoolean();
        try (Connection writer = pair.there.superuser();
                MoverDriver mover = new MoverDriver(pair.task(11, 12, 13, 14, 15, 16, 17, 18))) {
            mover.done(Command.PREPARE, Command.VERIFY);
            CompletableFuture<List<Long>> given = CompletableFuture.supplyAsync(() -> numbers(writer, stop));
            for (int bucket = 11; bucket <= 18; bucket++) {
                pair.here.plant("SELECT setval('" + SEQUENCE + "', " + (last(pair.there) - 900) + ")");
                mover.switchGroup(Scope.buckets(bucket));
            }
            stop.set(true);
            assertThat(given.join()).isNotEmpty().doesNotHaveDuplicates();
        }
    }

    private static List<Long> numbers(Connection writer, AtomicBoolean stop) {
        List<Long> given = new ArrayList<>();
        try (Statement statement = writer.createStatement()) {
            while (!stop.get()) {
                try (ResultSet row = statement.executeQuery("SELECT nextval('" + SEQUENCE + "')")) {
                    row.next();
                    given.add(row.getLong(1));
                }
            }
            return given;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
