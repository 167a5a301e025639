package io.shardwright.routing;

/**
 * The answer to an acknowledgement.
 *
 * @param confirmed a leader that holds its Lease has taken it; a router that hears this not for 20 s is cut off
 * @param newest order of the newest table the operator knows, or null when there is none: a router that has an older one
 *     connects its feed anew
 */
public record AckReply(boolean confirmed, TableOrder newest) {}
