/**
 * The hands on PostgreSQL 15 to 18. {@code PostgresSessions} is the only door through which a connection is made, so that
 * every session has the same settings, timeouts and trust, whatever the server's defaults are; {@code fence} installs and
 * looks at the fence, {@code probe} judges whether a database can be sharded and moved, {@code move} moves.
 *
 * <p>The SQL of the fence lies in {@code shardwright/postgresql/*.sql} of the class path, so that a DBA can read it as it is.
 */
package io.shardwright.dataplane.postgres;
