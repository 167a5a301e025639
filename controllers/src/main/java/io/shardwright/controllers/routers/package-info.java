/**
 * Who routes, and who has acknowledged what. Pods are watched per namespace, acknowledgements live in memory; what both say
 * together becomes an {@link io.shardwright.planning.acks.AckGate}. Unknown is never open.
 */
package io.shardwright.controllers.routers;
