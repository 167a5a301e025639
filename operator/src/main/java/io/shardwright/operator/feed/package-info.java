/**
 * Delivery of routing tables to routers by Server-Sent Events, and their acknowledgements. Tables come from this replica's
 * own cache, so any replica serves them, with or without a leader and with or without an API server.
 */
package io.shardwright.operator.feed;
