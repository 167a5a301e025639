/**
 * Start and stop. Nothing here runs inside Quarkus' start-up event, so HTTP and health answer while the API server is away;
 * and everything is stopped in the order in which it can do harm: reconcilers, movers, then the Lease.
 */
package io.shardwright.operator.lifecycle;
