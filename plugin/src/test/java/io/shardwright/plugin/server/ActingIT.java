package io.shardwright.plugin.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.crds.bucketmove.BucketMove;
import io.shardwright.crds.bucketmove.BucketMoveSpec.Intent;
import io.shardwright.plugin.ExitCode;
import io.shardwright.plugin.api.ClusterApi;
import io.shardwright.plugin.api.Connection;
import io.shardwright.servers.Eventually;
import io.shardwright.servers.faults.ApiFault;
import io.shardwright.servers.faults.ApiProxy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands that act, as people with the shipped roles type them; the test says what the operator would say. */
class ActingIT {
    private static final String SWITCHED =
            "{phase: Reversible, conditions: [{type: WritesSwitched, status: \"True\", reason: Switched, message: all,"
                    + " lastTransitionTime: \"2026-03-01T10:00:00Z\"}]}";

    private static Installed api;
    private static Path viewer;
    private static Path user;
    private static Path approver;

    @BeforeAll
    static void install() {
        api = new Installed();
        viewer = api.person("vic", "shardwright-viewer");
        user = api.person("ulf", "shardwright-operator-user");
        approver = api.person("ann", "shardwright-approver");
    }

    @AfterAll
    static void uninstall() {
        api.close();
    }

    @ParameterizedTest
    @CsvSource({"pause, Pause", "resume, Run", "abort, Abort", "reverse, Reverse"})
    void aUserSetsEveryIntentButComplete(String command, String intent) {
        String name = "user-" + command;
        api.move(name, SWITCHED);
        if (command.equals("resume")) {
            api.move(name).edit(move -> with(move, Intent.PAUSE));
        }
        String before = api.intent(name);

        Typed typed = Typed.by(user, command, name);

        assertThat(typed.exitCode()).as(typed.err()).isEqualTo(ExitCode.DONE);
        assertThat(typed.out())
                .contains("bucketmove " + name + ": intent " + before + " -> " + intent + " (phase Reversible)");
        assertThat(api.intent(name)).isEqualTo(intent);
    }

    @ParameterizedTest
    @CsvSource({"pause, shardwright-operator-user", "abort, shardwright-operator-user", "complete, shardwright-approver"
    })
    void aViewerMayNotActAndIsToldWhichRoleIsMissing(String command, String role) {
        String name = "viewer-" + command;
        api.move(name, SWITCHED);

        Typed typed = Typed.by(viewer, command, name);

        assertThat(typed.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(typed.err()).contains("the role " + role + " is missing", "vic", "--clusterrole=" + role);
        assertThat(api.intent(name)).isEqualTo("Run");
    }

    @Test
    void onlyAnApproverCompletes() {
        api.move("soaking", SWITCHED);

        Typed refused = Typed.by(user, "complete", "soaking");
        assertThat(refused.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(refused.err()).contains("the role shardwright-approver is missing", "verb complete");
        assertThat(api.intent("soaking")).isEqualTo("Run");

        assertThat(Typed.by(approver, "complete", "soaking").exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(api.intent("soaking")).isEqualTo("Complete");
    }

    @Test
    void anAdministratorActsAsSomebodyElse() {
        api.move("acted", "{phase: Copying}");
        Path administrator = api.plane.adminKubeconfig();

        assertThat(Typed.by(administrator, "pause", "acted", "--as", "vic").err())
                .contains("the role shardwright-operator-user is missing", "vic");
        assertThat(Typed.by(administrator, "pause", "acted", "--as", "x", "--as-group", "system:masters")
                        .exitCode())
                .isEqualTo(ExitCode.DONE);
    }

    @Test
    void whatTheRulesOfTheKindRefuseIsToldInTheirWords() {
        api.move("copying", "{phase: Copying}");

        Typed typed = Typed.by(user, "reverse", "copying");

        assertThat(typed.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(typed.err())
                .contains("the API server refuses to set intent Reverse of BucketMove copying")
                .contains("spec.intent: there is nothing to reverse now: set intent to Abort before the switch");
        assertThat(api.intent("copying")).isEqualTo("Run");
    }

    @Test
    void anIntentThatIsThereAlreadyIsNoWrite() {
        api.move("twice", "{phase: Copying}");
        Typed.by(user, "pause", "twice");
        String version = api.move("twice").get().getMetadata().getResourceVersion();

        Typed again = Typed.by(user, "pause", "twice");

        assertThat(again.exitCode()).isEqualTo(ExitCode.DONE);
        assertThat(again.out()).contains("intent is Pause already");
        assertThat(api.move("twice").get().getMetadata().getResourceVersion()).isEqualTo(version);
    }

    @Test
    void aVersionThatWasNotReadIsNotChanged() {
        BucketMove read = api.move("raced", "{phase: Copying}");
        api.move("raced").edit(move -> {
            move.getMetadata().setLabels(Map.of("somebody", "else"));
            return move;
        });

        try (ClusterApi ours = Connection.open(
                Connection.Choice.of(Optional.of(user), Optional.empty(), Optional.of(Installed.NAMESPACE)))) {
            assertThat(ours.moveApi().setIntent(read, Intent.ABORT)).isEmpty();
            assertThat(api.intent("raced")).isEqualTo("Run");
            assertThat(ours.moveApi().setIntent(ours.move("raced"), Intent.ABORT))
                    .isPresent();
        }
    }

    @Test
    void aNewMoveOfTheSameNameIsNotMeant() {
        BucketMove old = api.move("reborn", "{phase: Copying}");
        api.admin.resource(old).delete();
        Eventually.until("the first one to be gone", () -> api.move("reborn").get() == null);
        api.move("reborn", "{phase: Copying}");

        try (ClusterApi ours = Connection.open(
                Connection.Choice.of(Optional.of(user), Optional.empty(), Optional.of(Installed.NAMESPACE)))) {
            assertThat(ours.moveApi().setIntent(old, Intent.ABORT)).isEmpty();
        }
        assertThat(api.intent("reborn")).isEqualTo("Run");
    }

    @Test
    void waitingFollowsTheMoveByAWatchUntilItsPhaseTells() throws Exception {
        api.move("followed", "{phase: Copying}");
        CompletableFuture<Typed> typing =
                CompletableFuture.supplyAsync(() -> Typed.by(user, "pause", "followed", "--wait", "--timeout", "2m"));
        Eventually.until("the intent to be set", () -> api.intent("followed").equals("Pause"));

        api.phase("followed", "Paused");

        Typed typed = typing.get(1, TimeUnit.MINUTES);
        assertThat(typed.exitCode()).as(typed.err()).isEqualTo(ExitCode.DONE);
        assertThat(typed.err()).contains("followed: Copying -> Paused");
        assertThat(typed.out()).contains("intent Run -> Pause (phase Paused): it stands still");
        assertThat(api.plane.auditLog().entries())
                .filteredOn(entry ->
                        entry.user().equals("ulf") && entry.uri().contains("fieldSelector=metadata.name%3Dfollowed"))
                .extracting(entry -> entry.verb())
                .containsOnly("list", "watch")
                .filteredOn(verb -> verb.equals("list"))
                .hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void anEndThatWasNotWantedIsOne() throws Exception {
        api.move("late", "{phase: Switching}");
        CompletableFuture<Typed> typing =
                CompletableFuture.supplyAsync(() -> Typed.by(user, "abort", "late", "--wait", "-o", "json"));
        Eventually.until("the intent to be set", () -> api.intent("late").equals("Abort"));

        api.phase("late", "Reversible");

        Typed typed = typing.get(1, TimeUnit.MINUTES);
        assertThat(typed.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(typed.out())
                .contains("\"outcome\" : \"Missed\"", "the abort came too late", "\"phase\" : \"Reversible\"");
    }

    @Test
    void whatDoesNotHappenInTimeIsThreeAndTheIntentStays() {
        api.move("stuck", "{phase: Copying, nextAction: end session 4711}");

        Typed typed = Typed.by(user, "abort", "stuck", "--wait", "--timeout", "1s");

        assertThat(typed.exitCode()).isEqualTo(ExitCode.TIMEOUT);
        assertThat(typed.out()).contains("not within 1s; the intent stays set; end session 4711");
        assertThat(api.intent("stuck")).isEqualTo("Abort");
    }

    @Test
    void aMoveThatIsDeletedIsWaitedForNoMore() throws Exception {
        api.move("deleted", "{phase: Copying}");
        CompletableFuture<Typed> typing =
                CompletableFuture.supplyAsync(() -> Typed.by(user, "abort", "deleted", "--wait"));
        Eventually.until("the intent to be set", () -> api.intent("deleted").equals("Abort"));

        api.move("deleted").delete();

        Typed typed = typing.get(1, TimeUnit.MINUTES);
        assertThat(typed.exitCode()).isEqualTo(ExitCode.REFUSED);
        assertThat(typed.out()).contains("it was deleted");
    }

    /** What is printed is what is stored, whatever became of the answer. */
    @ParameterizedTest
    @CsvSource({
        "CUT_AFTER,    0, intent Run -> Pause,                                   Pause",
        "CONFLICT,     0, intent Run -> Pause,                                   Pause",
        "SERVER_ERROR, 1, the API server failed to set intent Pause,             Run",
        "KILL_AFTER,   1, nobody knows whether intent Pause is set,              Pause",
        "KILL_BEFORE,  1, nobody knows whether intent Pause is set,              Run",
    })
    void aLostOrRefusedAnswerIsNeverTakenForSomethingElse(
            ApiFault fault, int exitCode, String words, String stored, @TempDir Path directory) throws IOException {
        String name = "struck-" + fault.name().toLowerCase(Locale.ROOT).replace('_', '-');
        api.move(name, "{phase: Copying}");
        try (ApiProxy proxy = ApiProxy.before(api.plane).listen()) {
            proxy.arm(effect -> true, fault);

            Typed typed = Typed.by(through(proxy, directory), "pause", name, "--request-timeout", "2s");

            assertThat(proxy.struck()).isPresent();
            assertThat(typed.out() + typed.err()).contains(words);
            assertThat(typed.exitCode()).isEqualTo(exitCode);
            assertThat(api.intent(name)).isEqualTo(stored);
        }
    }

    private static Path through(ApiProxy proxy, Path directory) throws IOException {
        var admin = api.admin.getConfiguration();
        return Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                current-context: proxy
                clusters: [{name: proxy, cluster: {server: "%s", certificate-authority-data: "%s"}}]
                contexts: [{name: proxy, context: {cluster: proxy, user: admin}}]
                users: [{name: admin, user: {token: "%s"}}]
                """.formatted(
                        proxy.url(), admin.getCaCertData(), admin.getOauthToken()));
    }

    private static BucketMove with(BucketMove move, Intent intent) {
        move.setSpec(move.getSpec().withIntent(intent));
        return move;
    }
}
