/**
 * A proxy before a PostgreSQL server that understands what passes: it numbers whatever a session makes durable, and at one
 * of these effects it cuts, drops or holds. {@link io.shardwright.servers.faults.FaultProxy} is the door.
 *
 * <p>A clean run through the proxy lists the effects of a story (learn); each one, with each {@link
 * io.shardwright.servers.faults.Fault}, is a plan for another run.
 */
package io.shardwright.servers.faults;
