package io.shardwright.controllers.bucketmove;

import io.shardwright.crds.Blocker;
import io.shardwright.crds.Condition;
import io.shardwright.crds.bucketmove.BucketMoveStatus;
import io.shardwright.routing.Scope;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Takes keys that nobody is to read out of what a status says: an error of a database quotes the row that it is about. A short
 * number is taken for a key only where a value stands, in quotes, brackets or a list, or every count would read like one.
 */
final class KeyVeil {
    private static final int UNMISTAKABLE = 6;

    private final Map<String, String> hashes = new LinkedHashMap<>();

    private KeyVeil() {}

    /** @param scopes as people may read them: those that show their keys are left alone */
    static KeyVeil of(Collection<Scope> scopes) {
        KeyVeil veil = new KeyVeil();
        scopes.forEach(scope -> scope.key()
                .filter(key -> !scope.toString().equals(key))
                .ifPresent(key -> veil.hashes.put(key, scope.toString())));
        return veil;
    }

    private static Pattern pattern(String key) {
        String word = "(?<![\\p{Alnum}_])" + Pattern.quote(key) + "(?![\\p{Alnum}_])";
        return Pattern.compile(
                key.length() >= UNMISTAKABLE
                        ? word
                        : "(?<=[('\"=:])" + Pattern.quote(key) + "(?![\\p{Alnum}_])|(?<![\\p{Alnum}_])"
                                + Pattern.quote(key) + "(?=[)'\",])");
    }

    String over(String text) {
        String veiled = text;
        for (Map.Entry<String, String> hash : hashes.entrySet()) {
            if (veiled != null && veiled.contains(hash.getKey())) {
                veiled = pattern(hash.getKey()).matcher(veiled).replaceAll(Matcher.quoteReplacement(hash.getValue()));
            }
        }
        return veiled;
    }

    BucketMoveStatus over(BucketMoveStatus status) {
        if (hashes.isEmpty()) {
            return status;
        }
        return new BucketMoveStatus(
                status.observedGeneration(),
                status.phase(),
                status.progress(),
                status.hold(),
                status.switches(),
                status.verification(),
                status.acks(),
                status.reversibleUntil(),
                status.reversal(),
                status.pointOfNoReturn(),
                status.blockedBy().stream()
                        .map(one -> new Blocker(one.kind(), one.name(), one.since(), over(one.reason())))
                        .toList(),
                over(status.nextAction()),
                status.history().stream()
                        .map(one ->
                                new BucketMoveStatus.Transition(one.at(), one.from(), one.to(), over(one.evidence())))
                        .toList(),
                status.conditions().stream().map(this::over).toList());
    }

    private Condition over(Condition one) {
        return new Condition(
                one.type(),
                one.status(),
                one.reason(),
                over(one.message()),
                one.lastTransitionTime(),
                one.observedGeneration());
    }
}
