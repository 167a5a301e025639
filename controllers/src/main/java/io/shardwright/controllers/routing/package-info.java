/**
 * The only writer of RoutingTable objects. Every write starts with a read from the API server's newest state, is decided by a
 * pure edit, checked by the contract's own rules and stored with the resourceVersion that was read. The Lease saves work;
 * {@code writerEpoch} and resourceVersion keep an old leader from publishing.
 */
package io.shardwright.controllers.routing;
