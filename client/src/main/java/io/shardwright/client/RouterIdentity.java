package io.shardwright.client;

/**
 * Who this router is, for its acknowledgements.
 *
 * @param podUid UID of the pod that its token is bound to; the instance id
 * @param podName for people
 * @param process name inside the pod, so that several processes of a pod count one by one
 */
public record RouterIdentity(String podUid, String podName, String process) {
    public RouterIdentity {
        if (podUid == null || podUid.isBlank() || podName == null || process == null || process.isBlank()) {
            throw new IllegalArgumentException("a router needs pod UID, pod name and process name");
        }
    }
}
