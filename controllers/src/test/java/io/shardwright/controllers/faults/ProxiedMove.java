package io.shardwright.controllers.faults;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.shardwright.controllers.RunningRoom;
import io.shardwright.controllers.world.ApiServer;
import io.shardwright.crds.ConditionType;
import io.shardwright.servers.faults.ApiFault;
import io.shardwright.servers.faults.ApiProxy;
import io.shardwright.servers.faults.Effect;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/**
 * One move from Pending to Succeeded, by an operator that has a proxy before the API server. When a fault kills it, the next one
 * has a proxy of its own and nothing of the first one's memory.
 */
final class ProxiedMove implements AutoCloseable {
    private static final AtomicInteger RUNS = new AtomicInteger();
    private static final String MOVE = "moved";
    private static final Set<String> SWITCHED = Set.of("Publishing", "CleaningUp", "Succeeded");

    private final RunningRoom room;
    private final ApiProxy first;
    private ApiProxy proxy;
    private int effectsBefore;
    private int processes = 1;

    ProxiedMove() {
        room = RunningRoom.alone("proxied move " + RUNS.incrementAndGet(), this::newClient);
        first = proxy;
    }

    private KubernetesClient newClient() {
        proxy = ApiProxy.before(ApiServer.get().plane());
        return ApiServer.get().operatorClient(proxy);
    }

    ProxiedMove arm(String effect, ApiFault fault) {
        first.arm(one -> one.name().equals(effect), fault);
        return this;
    }

    /** Until the move has succeeded and nobody has anything left to do. */
    EndState run() {
        begin();
        awaitUnlessKilled("the move to succeed", () -> state().isAtRest());
        return state();
    }

    /** Until all is as it has to be, whoever has brought it there. */
    void runTo(EndState wanted) {
        begin();
        awaitUnlessKilled(
                "the end of the clean run", () -> state().differences(wanted).isEmpty());
    }

    private void begin() {
        room.readyWithFour();
        room.shop().policy("orders", "Manual", "");
        room.eventually(
                "the policy",
                () -> room.shop()
                        .policyCondition("orders", ConditionType.ACCEPTED)
                        .isPresent());
        effectsBefore = room.world().effects().size();
        first.listen();
        room.shop().move(MOVE, "ds-0", "ds-1", room.bucketOf("ds-0"));
    }

    /** Time has to pass after the switch only; until then the operator has to go on by itself. */
    private void awaitUnlessKilled(String what, BooleanSupplier goal) {
        room.eventually("the switch", () -> proxy.clientIsDead() || isSwitched());
        room.inAMinute(what, () -> proxy.clientIsDead() || goal.getAsBoolean());
        if (proxy.clientIsDead()) {
            nextProcess();
            awaitUnlessKilled(what, goal);
        }
    }

    private boolean isSwitched() {
        return SWITCHED.contains(room.shop().phase(MOVE));
    }

    private void nextProcess() {
        proxy.close();
        processes++;
        room.bury();
    }

    int processes() {
        return processes;
    }

    EndState state() {
        var effects = room.world().effects();
        return EndState.of(room, MOVE, effects.subList(effectsBefore, effects.size()));
    }

    /** What the first process has changed for the move, or has tried to. */
    List<String> points() {
        return first.effects().stream()
                .map(Effect::name)
                .filter(ProxiedMove::isOfTheMove)
                .toList();
    }

    /**
     * A status is written again with other figures, or when somebody has touched the object meanwhile, so two runs have the
     * first one of each phase in common.
     */
    private static boolean isOfTheMove(String effect) {
        return effect.contains(" bucketmoves/" + MOVE + " #")
                || effect.matches(".* bucketmoves/" + MOVE + "/status .* #1")
                || effect.contains(" routingtables/orders #")
                || effect.contains(" configmaps")
                || effect.matches("create events .* " + MOVE + " #.*");
    }

    boolean struck() {
        return first.struck().isPresent();
    }

    /** How often each event was told of the move. */
    Map<String, Long> events() {
        return ApiServer.get().admin().v1().events().inNamespace(room.shop().namespace()).list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(MOVE))
                .collect(Collectors.groupingBy(
                        event -> event.getReason() + ": " + event.getMessage(), TreeMap::new, Collectors.counting()));
    }

    @Override
    public void close() {
        room.close();
        proxy.close();
    }
}
