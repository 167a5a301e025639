package io.shardwright.planning.hotkeys;

import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.planning.placement.PlanInputs;
import io.shardwright.routing.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Whatever routers report for an afternoon, and whatever becomes of the plans. */
class HotKeyPropertiesTest {
    private static final int PASSES = 120;
    private static final Duration BETWEEN = Duration.ofMinutes(1);
    private static final int MOST = 2;

    /** Weather of one seed: keys warm up and cool down, routers fall silent, moves run or wait, targets come and go. */
    private static final class Afternoon {
        private final Random random;
        private final Map<Integer, String> table = new TreeMap<>();
        private List<HotKey> known = List.of();
        private Instant now = HotSight.NOON;

        private Afternoon(long seed) {
            random = new Random(seed);
        }

        private HotSight weather() {
            HotSight sight = new HotSight().at(now).after(known).maxPins(MOST);
            for (int key = 0; key < 4; key++) {
                String shard = table.getOrDefault(key, "ds-0");
                long requests = random.nextInt(1_200);
                sight.asked(shard, key, requests, requests + random.nextInt(100));
            }
            table.forEach(sight::pinned);
            table.values().forEach(shard -> sight.requests(shard, 5_000));
            sight.requests("ds-0", random.nextInt(10) == 0 ? 0 : 5_000);
            if (random.nextInt(5) == 0) {
                sight.uncovered();
            }
            if (random.nextInt(6) == 0) {
                sight.planUnderWay();
            }
            if (random.nextInt(12) == 0) {
                sight.dedicated("ds-hot", 0);
            }
            return sight;
        }

        /** @param pass judges a moment, and says what is known after it */
        private void passes(Supplier<List<HotKey>> pass) {
            for (int i = 0; i < PASSES; i++) {
                known = pass.get();
                obey();
                now = now.plus(BETWEEN);
            }
        }

        /** Some moves of the plan are made. */
        private void obey() {
            known.forEach(key -> {
                int number = Integer.parseInt(key.key().key().orElseThrow());
                if (random.nextInt(3) == 0) {
                    if (key.isWanted()) {
                        table.put(number, key.target().orElseThrow());
                    } else if (key.isHeld()) {
                        table.remove(number);
                    }
                }
            });
        }
    }

    @Property(tries = 200)
    void theSameInputTwiceIsTheSameAnswerAndAnAnswerThatIsRememberedIsItself(@ForAll long seed) {
        Afternoon afternoon = new Afternoon(seed);
        afternoon.passes(() -> {
            HotSight sight = afternoon.weather();
            List<HotKey> next = sight.next();

            assertThat(sight.next()).isEqualTo(next);
            assertThat(sight.after(next).next()).isEqualTo(next);
            return next;
        });
    }

    @Property(tries = 200)
    void atMostMaxPinsKeysAreHeldAndEachOnATargetThatTakesKeysOrHomeward(@ForAll long seed) {
        Afternoon afternoon = new Afternoon(seed);
        afternoon.passes(() -> {
            HotKeySight seen = afternoon.weather().seen();
            List<HotKey> next = HotKeyPlanner.next(seen);

            assertThat(next.stream().filter(HotKey::isHeld).count()).isLessThanOrEqualTo(MOST);
            assertThat(next.stream().filter(HotKey::isWanted))
                    .allSatisfy(key -> assertThat(seen.takesKeys(key.target().orElseThrow()))
                            .isTrue());
            return next;
        });
    }

    /** What is said of a key may be one pass old; what becomes of it may not be undone within a cooldown. */
    @Property(tries = 200)
    void aKeyThatWentHomeOrWasWithdrawnIsNotProposedWithinACooldown(@ForAll long seed) {
        Afternoon afternoon = new Afternoon(seed);
        Map<Scope, Instant> left = new HashMap<>();
        afternoon.passes(() -> {
            List<HotKey> before = afternoon.known;
            List<HotKey> next = afternoon.weather().next();
            Map<Scope, HotKey> was = before.stream().collect(Collectors.toMap(HotKey::key, key -> key));
            for (HotKey key : next) {
                boolean held = was.containsKey(key.key()) && was.get(key.key()).isHeld();
                if (held && !key.isHeld() && key.reason() == HotKeyReason.COOLDOWN) {
                    left.put(key.key(), afternoon.now);
                }
                if (!held && key.isHeld()) {
                    assertThat(left.getOrDefault(key.key(), Instant.MIN))
                            .isBeforeOrEqualTo(afternoon.now.minus(HotSight.COOLDOWN));
                }
            }
            return next;
        });
    }

    @Property(tries = 200)
    void unknownFiguresProposeNothingWithdrawNothingAndCoolNothingDown(@ForAll long seed) {
        Afternoon afternoon = new Afternoon(seed);
        afternoon.passes(() -> {
            List<HotKey> before = afternoon.known;
            HotSight unknown = afternoon.weather().uncovered();
            List<HotKey> next = unknown.next();

            Map<Scope, HotKey> was = before.stream().collect(Collectors.toMap(HotKey::key, key -> key));
            HotKeySight seen = unknown.seen();
            next.stream().filter(HotKey::isHeld).forEach(key -> {
                assertThat(was).containsKey(key.key());
                HotKey old = was.get(key.key());
                assertThat(old.isHeld()).isTrue();
                if (key.state() == HotKeyState.COOLING_DOWN) {
                    assertThat(key).isEqualTo(old.on(key.shard()).to(key.shard()));
                }
            });
            before.stream()
                    .filter(key -> key.state() == HotKeyState.PROPOSED
                            && key.target().filter(seen::takesKeys).isPresent())
                    .forEach(key -> assertThat(next).anySatisfy(one -> {
                        assertThat(one.key()).isEqualTo(key.key());
                        assertThat(one.isHeld()).isTrue();
                    }));
            return afternoon.weather().next();
        });
    }

    @Property(tries = 200)
    void upperBoundsAloneProposeNothing(@ForAll long seed) {
        Random random = new Random(seed);
        HotSight sight = new HotSight();
        for (int key = 0; key < 8; key++) {
            sight.asked(key < 4 ? "ds-0" : "ds-1", key, random.nextInt(600), HotSight.REQUESTS);
        }

        assertThat(sight.next()).isEmpty();
        assertThat(sight.seen().shards().values()).contains(PlanInputs.Shard.general(100));
    }
}
