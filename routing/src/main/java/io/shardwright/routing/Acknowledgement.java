package io.shardwright.routing;

/**
 * What a router process says it has done. A revision counts as acknowledged only after the table has been swapped in; what
 * must wait for old transactions looks at {@code inFlightOldest} as well.
 *
 * @param instance UID of the router's pod; the operator compares it with the UID that the token is bound to
 * @param boot new at every start of the process; voids what earlier boots said
 * @param pod name of the pod, for people
 * @param sequence +1 with every acknowledgement of a boot; lower ones are dropped
 * @param process name of the process inside the pod, so that several processes of a pod count one by one
 * @param incarnation of the table in force
 * @param appliedRevision revision of the table in force, 0 before the first one
 * @param generation of the table in force
 * @param inFlightOldest lowest revision that an open transaction was routed by; {@code appliedRevision} when none is
 *     open, 0 when one was routed by another incarnation
 * @param digest {@link TableDigest} of the table in force, empty before the first one
 * @param nack why the newest table was refused ("T9: ..."), or null
 * @param client name and version of the library, for people
 * @param load the newest closed slice of what was asked of the shards, or null: a router need not count
 */
public record Acknowledgement(
        String instance,
        String boot,
        String pod,
        Role role,
        long sequence,
        String process,
        long incarnation,
        long appliedRevision,
        long generation,
        long inFlightOldest,
        String digest,
        String nack,
        String client,
        LoadReport load) {
    /** Of a router that does not count, or has counted nothing yet. */
    public Acknowledgement(
            String instance,
            String boot,
            String pod,
            Role role,
            long sequence,
            String process,
            long incarnation,
            long appliedRevision,
            long generation,
            long inFlightOldest,
            String digest,
            String nack,
            String client) {
        this(
                instance,
                boot,
                pod,
                role,
                sequence,
                process,
                incarnation,
                appliedRevision,
                generation,
                inFlightOldest,
                digest,
                nack,
                client,
                null);
    }

    public Acknowledgement withoutLoad() {
        return new Acknowledgement(
                instance,
                boot,
                pod,
                role,
                sequence,
                process,
                incarnation,
                appliedRevision,
                generation,
                inFlightOldest,
                digest,
                nack,
                client);
    }
}
