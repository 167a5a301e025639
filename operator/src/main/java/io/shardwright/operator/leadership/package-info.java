/**
 * Leader election by a Lease. It saves work; safety comes from the writer epoch in the tables and from the fences.
 *
 * <p>Written anew because three things are wanted that the framework's elector does not give. Time is the monotonic clock of
 * each process only: a Lease is free when this process has seen it unchanged for its duration, whatever its timestamps say. The
 * deadline is watched by a thread that never talks to the API server, so a request that hangs cannot stretch a term. And the
 * moment of the last renewal is known, which confirming acknowledgements asks for.
 *
 * <p>Argument: a leader counts its term from before the request that renewed it, and ends its process when the deadline has
 * passed. A follower counts from when it first saw that renewal, which is later, and waits for the longer duration. What
 * remains is a process that was stopped in between (SIGSTOP, a paused machine) and does one more thing when it wakes.
 */
package io.shardwright.operator.leadership;
