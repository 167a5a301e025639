/**
 * The process. Quarkus lives here and nowhere else: configuration, start and stop, leader election, the routing feed and the
 * acknowledgements, health and metrics. What is decided and done stands in the rooms below.
 *
 * <p>Every replica serves the feed from its own cache of the routing tables; only the leader reconciles and confirms
 * acknowledgements. Three rules keep it honest while the API server is away: health answers, open streams stay, and a router
 * that was let in before is let in again; but nobody confirms and nobody acts without a fresh Lease.
 */
package io.shardwright.operator;
