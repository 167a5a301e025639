package io.shardwright.dataplane.postgres.move;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Nothing that runs in a hold sleeps or comes back to look again: it waits for an answer or for a future. */
class NoSleepInHoldTest {
    private static final Set<String> WAITS_BY_THE_CLOCK = Set.of(
            "sleep",
            "parkNanos",
            "parkUntil",
            "awaitNanos",
            "awaitUntil",
            "scheduleAtFixedRate",
            "scheduleWithFixedDelay",
            "onSpinWait",
            "yield",
            "wait",
            "poll");

    private static final ArchRule NO_SLEEP = noClasses()
            .should()
            .callMethodWhere(describe("waits by the clock", NoSleepInHoldTest::waitsByTheClock))
            .because("what waits by the clock in a hold is added to every write that waits");

    private static boolean waitsByTheClock(JavaMethodCall call) {
        return WAITS_BY_THE_CLOCK.contains(call.getTarget().getName())
                && call.getTargetOwner().getPackageName().startsWith("java.");
    }

    @Test
    void nothingInTheSwitchAndNothingInTheApplierWaitsByTheClock() {
        JavaClasses hold = new ClassFileImporter()
                .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                .importPackages(
                        "io.shardwright.dataplane.postgres.move.switchover",
                        "io.shardwright.dataplane.postgres.move.stream",
                        "io.shardwright.dataplane.postgres.move.truth",
                        "io.shardwright.dataplane.postgres.move.tables");
        NO_SLEEP.check(hold);
        NO_SLEEP.check(new ClassFileImporter().importClasses(applierClasses()));
    }

    private static Class<?>[] applierClasses() {
        try {
            return new Class<?>[] {
                Class.forName("io.shardwright.dataplane.postgres.move.apply.ApplyLoop"),
                Class.forName("io.shardwright.dataplane.postgres.move.apply.GroupApplier"),
                Class.forName("io.shardwright.dataplane.postgres.move.apply.RowWriter"),
                Class.forName("io.shardwright.dataplane.postgres.move.apply.TableBatch")
            };
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void theRuleSeesASleep() {
        JavaClasses sleepy = new ClassFileImporter().importClasses(Sleepy.class);
        assertThatThrownBy(() -> NO_SLEEP.check(sleepy))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Sleepy");
    }

    /** What the rule is there to refuse. */
    private static final class Sleepy {
        private Sleepy() {}

        @SuppressWarnings("unused")
        static void nap() {
            LockSupport.parkNanos(1);
        }
    }
}
