package io.shardwright.meaning;

import io.shardwright.crds.Durations;
import io.shardwright.crds.Percent;
import io.shardwright.crds.shardcluster.ShardClusterSpec;
import io.shardwright.crds.shardpolicy.HotKeyDetection;
import io.shardwright.crds.shardpolicy.HotKeys;
import io.shardwright.planning.hotkeys.DetectionSettings;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * What a policy says about detection, for its cluster. A target that cannot be one leaves none: whoever misspells a shard does not
 * want all keys on the others.
 *
 * @param fault the first target that is no Dedicated shard, by its path, and what to do
 */
public record Detection(DetectionSettings settings, Optional<String> fault) {

    public static Detection of(HotKeys hotKeys, ShardClusterSpec cluster) {
        if (!hotKeys.detects()) {
            return new Detection(DetectionSettings.OFF, Optional.empty());
        }
        HotKeyDetection spec = hotKeys.detection();
        Optional<String> fault = fault(spec.targets(), cluster);
        return new Detection(
                new DetectionSettings(
                        true,
                        Percent.parse(spec.threshold()),
                        Durations.parse(spec.window()),
                        fault.isPresent() ? List.of() : spec.targets(),
                        spec.maxPins(),
                        Durations.parse(spec.cooldown())),
                fault);
    }

    /** One that is being drained is passed over as long as it is; that is no fault. */
    private static Optional<String> fault(List<String> targets, ShardClusterSpec cluster) {
        return IntStream.range(0, targets.size())
                .filter(place -> !DedicatedShards.isDedicated(targets.get(place), cluster))
                .boxed()
                .findFirst()
                .flatMap(place -> DedicatedShards.fault(targets.get(place), cluster)
                        .map(what -> "spec.hotKeys.detection.targets[" + place + "]: " + what));
    }
}
