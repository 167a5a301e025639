package io.shardwright.planning.acks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.planning.acks.AckRequirement.Kind;
import io.shardwright.routing.Acknowledgement;
import io.shardwright.routing.Role;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class AckCountTest {
    private static final LiveRouter WORKER = new LiveRouter("orders-worker-1", "uid-w", Role.WORKER, 1);
    private static final LiveRouter WEB = new LiveRouter("orders-web-7", "uid-b", Role.WEB, 1);

    @Test
    void opensWhenEveryLiveRouterHasApplied() {
        AckGate gate = count(
                Kind.CLEANUP,
                List.of(WORKER, WEB),
                said(WORKER).heard(),
                said(WEB).heard());

        assertThat(gate.open()).isTrue();
        assertThat(gate.live()).containsEntry(Role.WORKER, 1).containsEntry(Role.WEB, 1);
        assertThat(gate.acked()).containsEntry(Role.WORKER, 1).containsEntry(Role.WEB, 1);
        assertThat(gate.story()).isEqualTo("all live routers have acknowledged");
    }

    @Test
    void aSilentRouterHoldsAndIsNamed() {
        assertHolds(
                said(WEB).age(42), "orders-web-7 (web) silent for over 30 s: delete the pod or wait until it answers");
        assertThat(count(
                                Kind.CLEANUP,
                                List.of(WORKER, WEB),
                                said(WORKER).heard(),
                                said(WEB).age(29).heard())
                        .open())
                .isTrue();
    }

    @Test
    void silenceIsToldInStepsThatDouble() {
        List<String> told = new ArrayList<>();
        for (int age : List.of(30, 59, 60, 119, 120, 3_600)) {
            told.add(count(
                            Kind.ANNOUNCEMENT,
                            List.of(WORKER, WEB),
                            said(WORKER).heard(),
                            said(WEB).age(age).heard())
                    .story()
                    .replaceAll(".* over (\\d+) s:.*", "$1"));
        }

        assertThat(told).containsExactly("30", "30", "60", "60", "120", "1920");
    }

    @Test
    void whoIsUnknownIsNoConsent() {
        AckGate unknown = AckGate.unknown("have not been listed yet");
        AckGate empty = new AckGate(Map.of(), Map.of(), List.of(), false);

        assertThat(unknown.story()).isEqualTo("routers have not been listed yet");
        assertThat(empty.open()).isFalse();
        assertThat(empty.story()).isEqualTo("nothing is known of the routers");
    }

    @Test
    void aLiveRouterHasAtLeastOneProcess() {
        assertThatThrownBy(() -> new LiveRouter("orders-web-7", "uid-b", Role.WEB, 0))
                .hasMessage("a live router has at least one process, not 0");
    }

    @Test
    void aRouterThatIsBehindHolds() {
        assertHolds(
                said(WEB).applied(9),
                "orders-web-7 (web) is at revision 9 of 10: wait, or look at its connection to the feed");
    }

    @Test
    void aRefusedTableHolds() {
        assertHolds(
                said(WEB).nack("SHARDS: TargetUnreachable"),
                "orders-web-7 (web) refused the table (SHARDS: TargetUnreachable): cure the cause, or delete the pod");
    }

    @Test
    void anotherIncarnationNeverCounts() {
        assertHolds(
                said(WEB).incarnation(2).applied(99),
                "orders-web-7 (web) has a table of incarnation 2, not 1: wait until it has read the new one, or delete the pod");
    }

    @Test
    void anUnknownDigestNeverCounts() {
        assertHolds(
                said(WEB).digest("forged"),
                "orders-web-7 (web) has a table that this operator has not seen published: wait for its next acknowledgement");
        assertHolds(
                said(WEB).digest(null),
                "orders-web-7 (web) has a table that this operator has not seen published: wait for its next acknowledgement");
    }

    @Test
    void anAnnouncementLooksAtTheAppliedRevisionOnly() {
        Said busy = said(WEB).inFlight(3);

        assertThat(count(Kind.ANNOUNCEMENT, List.of(WORKER, WEB), said(WORKER).heard(), busy.heard())
                        .open())
                .isTrue();
    }

    @Test
    void cleanupWaitsForTheOldestTransactionInFlight() {
        assertHolds(
                said(WEB).inFlight(9),
                "orders-web-7 (web) has a transaction open since revision 9: wait for its end, or end it");
    }

    @Test
    void aRoleWithoutInstancesHolds() {
        AckGate gate = count(Kind.CLEANUP, List.of(WORKER), said(WORKER).heard());

        assertThat(gate.open()).isFalse();
        assertThat(gate.story())
                .isEqualTo("role web has no live instance: start one, or correct the selector of the role");
    }

    @Test
    void aRouterThatNoSelectorFindsHolds() {
        AckGate gate = count(
                Kind.CLEANUP, List.of(WORKER), said(WORKER).heard(), said(WEB).heard());

        assertThat(gate.holding())
                .extracting(AckGate.Holder::toString)
                .contains(
                        "orders-web-7 (web) acknowledges, but no selector of spec.routers matches it: add its label, or end it");
    }

    @Test
    void aDepartedRouterIsForgottenWhenItIsSilent() {
        AckGate gate = count(
                Kind.CLEANUP,
                List.of(WORKER, WEB),
                said(WORKER).heard(),
                said(WEB).heard(),
                said(new LiveRouter("orders-web-old", "uid-old", Role.WEB, 1))
                        .age(30)
                        .heard());

        assertThat(gate.open()).isTrue();
    }

    @Test
    void aLiveRouterThatNeverSpokeHolds() {
        AckGate gate = count(Kind.CLEANUP, List.of(WORKER, WEB), said(WORKER).heard());

        assertThat(gate.story()).startsWith("orders-web-7 (web) has never acknowledged");
    }

    @Test
    void everyExpectedProcessOfAPodCounts() {
        LiveRouter forked = new LiveRouter("orders-web-7", "uid-b", Role.WEB, 2);

        AckGate one = count(
                Kind.CLEANUP,
                List.of(WORKER, forked),
                said(WORKER).heard(),
                said(forked).heard());
        AckGate both = count(
                Kind.CLEANUP,
                List.of(WORKER, forked),
                said(WORKER).heard(),
                said(forked).heard(),
                said(forked).process("1").heard());
        AckGate stopped = count(
                Kind.CLEANUP,
                List.of(WORKER, forked),
                said(WORKER).heard(),
                said(forked).heard(),
                said(forked).process("1").age(60).heard());

        assertThat(one.story()).contains("acknowledged with 1 of 2 processes");
        assertThat(both.open()).isTrue();
        assertThat(stopped.story()).contains("process 1 silent for over 60 s");
    }

    @Test
    void aWrongRoleHolds() {
        LiveRouter mislabelled = new LiveRouter("orders-web-7", "uid-b", Role.WORKER, 1);

        AckGate gate = count(
                Kind.CLEANUP,
                List.of(WORKER, mislabelled),
                said(WORKER).heard(),
                said(WEB).heard());

        assertThat(gate.story()).contains("acknowledges as web: correct its role or the selector");
    }

    @Test
    void theNewestWordOfAProcessCounts() {
        AckGate sameBoot = count(
                Kind.CLEANUP,
                List.of(WORKER, WEB),
                said(WORKER).heard(),
                said(WEB).sequence(2).heard(),
                said(WEB).sequence(1).applied(3).heard());
        AckGate rebooted = count(
                Kind.CLEANUP,
                List.of(WORKER, WEB),
                said(WORKER).heard(),
                said(WEB).sequence(90).age(20).heard(),
                said(WEB).boot("second").applied(3).heard());

        AckGate reversed = count(
                Kind.CLEANUP,
                List.of(WORKER, WEB),
                said(WORKER).heard(),
                said(WEB).boot("second").applied(3).heard(),
                said(WEB).sequence(90).age(20).heard(),
                said(WEB).boot("second").sequence(2).applied(4).heard());

        assertThat(sameBoot.open()).isTrue();
        assertThat(rebooted.story()).contains("is at revision 3 of 10");
        assertThat(reversed.story()).contains("is at revision 4 of 10");
    }

    @Test
    void onlyAskedRolesAreCounted() {
        AckRequirement workers = new AckRequirement(Kind.ANNOUNCEMENT, 1, 10, EnumSet.of(Role.WORKER), Set.of("d"));

        AckGate gate = AckCount.count(
                workers,
                List.of(WORKER, WEB),
                List.of(said(WORKER).heard(), said(WEB).applied(3).heard()));

        assertThat(gate.open()).isTrue();
    }

    @Test
    void withoutDeclaredRoutersNothingIsKnown() {
        AckRequirement nobody = new AckRequirement(Kind.ANNOUNCEMENT, 1, 10, Set.of(), Set.of("d"));

        assertThat(AckCount.count(nobody, List.of(), List.of()).open()).isFalse();
    }

    @Test
    void tenAreNamedAndTheRestIsCounted() {
        List<LiveRouter> live = new ArrayList<>(List.of(WORKER));
        for (int i = 0; i < 25; i++) {
            live.add(new LiveRouter("web-%02d".formatted(i), "uid-" + i, Role.WEB, 1));
        }

        AckGate gate = count(Kind.CLEANUP, live, said(WORKER).heard());

        assertThat(gate.holding()).hasSize(11);
        assertThat(gate.holding().get(0).name()).isEqualTo("web-00 (web)");
        assertThat(gate.holding().get(10).toString()).isEqualTo("and 15 more hold as well");
        assertThat(gate.live()).containsEntry(Role.WEB, 25);
        assertThat(gate.acked()).containsEntry(Role.WEB, 0);
    }

    @Test
    void tenAreNamedWithoutACount() {
        List<LiveRouter> live = new ArrayList<>(List.of(WORKER));
        for (int i = 9; i >= 0; i--) {
            live.add(new LiveRouter("web-" + i, "uid-" + i, Role.WEB, 1));
        }

        assertThat(count(Kind.CLEANUP, live, said(WORKER).heard()).holding())
                .extracting(AckGate.Holder::name)
                .hasSize(10)
                .startsWith("web-0 (web)")
                .endsWith("web-9 (web)");
    }

    private static void assertHolds(Said web, String story) {
        AckGate gate = count(Kind.CLEANUP, List.of(WORKER, WEB), said(WORKER).heard(), web.heard());

        assertThat(gate.open()).isFalse();
        assertThat(gate.story()).isEqualTo(story);
        assertThat(gate.acked()).containsEntry(Role.WORKER, 1).containsEntry(Role.WEB, 0);
    }

    private static AckGate count(Kind kind, List<LiveRouter> live, HeardAck... heard) {
        return AckCount.count(
                new AckRequirement(kind, 1, 10, EnumSet.allOf(Role.class), Set.of("d")), live, List.of(heard));
    }

    private static Said said(LiveRouter router) {
        return new Said(router, "first", 1, "0", 1, 10, 10, "d", null, 3);
    }

    /** What a router said; good unless changed. */
    private record Said(
            LiveRouter router,
            String boot,
            long sequence,
            String process,
            long incarnation,
            long applied,
            long inFlight,
            String digest,
            String nack,
            int age) {
        HeardAck heard() {
            return new HeardAck(
                    new Acknowledgement(
                            router.instance(),
                            boot,
                            router.name(),
                            router.role(),
                            sequence,
                            process,
                            incarnation,
                            applied,
                            1,
                            inFlight,
                            digest,
                            nack,
                            "test"),
                    Duration.ofSeconds(age));
        }

        Said boot(String next) {
            return new Said(router, next, 1, process, incarnation, applied, inFlight, digest, nack, age);
        }

        Said sequence(long next) {
            return new Said(router, boot, next, process, incarnation, applied, inFlight, digest, nack, age);
        }

        Said process(String next) {
            return new Said(router, boot, sequence, next, incarnation, applied, inFlight, digest, nack, age);
        }

        Said incarnation(long next) {
            return new Said(router, boot, sequence, process, next, applied, inFlight, digest, nack, age);
        }

        Said applied(long next) {
            return new Said(router, boot, sequence, process, incarnation, next, next, digest, nack, age);
        }

        Said inFlight(long next) {
            return new Said(router, boot, sequence, process, incarnation, applied, next, digest, nack, age);
        }

        Said digest(String next) {
            return new Said(router, boot, sequence, process, incarnation, applied, inFlight, next, nack, age);
        }

        Said nack(String next) {
            return new Said(router, boot, sequence, process, incarnation, applied, inFlight, digest, next, age);
        }

        Said age(int next) {
            return new Said(router, boot, sequence, process, incarnation, applied, inFlight, digest, nack, next);
        }
    }
}
