/**
 * Real servers for tests and demo, each a child process of this JVM: PostgreSQL ({@link io.shardwright.servers.PostgresServer})
 * with standbys ({@link io.shardwright.servers.PostgresStandby}) and disks that become full ({@link
 * io.shardwright.servers.SmallDisk}), a Kubernetes control plane ({@link io.shardwright.servers.ControlPlane}), the certificates
 * that both need, and proxies that bring faults on the way to either ({@link io.shardwright.servers.faults}).
 *
 * <p>Rules of the room: everything listens on loopback and on a free port; everything that is started is known by its
 * process id ({@link io.shardwright.servers.OwnedProcess}) and ends with its owner, with the JVM at the latest, even when
 * the JVM is killed ({@link io.shardwright.servers.Guardian}); every wait has a name and a limit and shows the log when it
 * fails ({@link io.shardwright.servers.Eventually}). Binaries are unpacked or built once into a cache outside of the tree
 * ({@link io.shardwright.servers.ServersCache}); a server's own files live in a directory that goes with it.
 */
package io.shardwright.servers;
