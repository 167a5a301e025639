package io.shardwright.operator;

import java.util.regex.Pattern;

/** A cluster by namespace and name. */
public record ClusterKey(String namespace, String name) {
    private static final Pattern DNS_LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");

    /** Whether an object could have this name at all; anything else is not worth a question to the API server. */
    public boolean wellFormed() {
        return DNS_LABEL.matcher(namespace).matches() && DNS_LABEL.matcher(name).matches();
    }

    @Override
    public String toString() {
        return namespace + "/" + name;
    }
}
