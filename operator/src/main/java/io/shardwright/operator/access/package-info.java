/**
 * Who may hear the feed and acknowledge: a ServiceAccount's token with our audience, whose owner may {@code get} the routing
 * table. Both are asked of the API server, never read from the token.
 */
package io.shardwright.operator.access;
