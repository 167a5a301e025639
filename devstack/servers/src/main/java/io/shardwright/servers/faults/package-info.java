/**
 * Proxies that understand what passes: they number whatever a client makes durable, and at one of these effects they cut, drop,
 * hold or refuse. {@link io.shardwright.servers.faults.FaultProxy} stands before a PostgreSQL server, {@link
 * io.shardwright.servers.faults.ApiProxy} before the API server.
 *
 * <p>A clean run through a proxy lists the effects of a story (learn); each one, with each {@link
 * io.shardwright.servers.faults.Fault} or {@link io.shardwright.servers.faults.ApiFault}, is a plan for another run.
 */
package io.shardwright.servers.faults;
