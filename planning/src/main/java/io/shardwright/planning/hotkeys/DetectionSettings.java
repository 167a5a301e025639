package io.shardwright.planning.hotkeys;

import java.time.Duration;
import java.util.List;

/**
 * What a policy says about detection.
 *
 * @param on false: nothing is detected
 * @param threshold share of a shard's requests from which a key is hot, 0..1
 * @param window over which requests are added up
 * @param targets shards that detected keys may go to; none when they cannot be obeyed
 * @param maxPins keys that detection holds at the same time
 * @param cooldown how long a key is cold before it goes home, and at home before it is proposed anew
 */
public record DetectionSettings(
        boolean on, double threshold, Duration window, List<String> targets, int maxPins, Duration cooldown) {
    public static final DetectionSettings OFF =
            new DetectionSettings(false, 1, Duration.ZERO, List.of(), 0, Duration.ZERO);

    public DetectionSettings {
        targets = List.copyOf(targets);
    }

    /** Far enough below the threshold that a key does not come and go with each change of the weather. */
    double coldBelow() {
        return threshold / 2;
    }
}
