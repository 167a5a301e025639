/**
 * What moves whose object is gone have left in the databases, and what of it may go. A move ends by removing its own traces; this is
 * for those that nobody ends any more: let go by force, their finalizer taken away, or missing in an older backup of etcd.
 *
 * <p>The rule is: by the record, and by nothing else. An object is touched only where a record of its move names it; a move is
 * gone only when a quorum read, made after the databases were read, has no object for it, and nothing of it has changed for a
 * minute; and it decides nothing any more when each of its buckets has exactly one owner. {@link
 * io.shardwright.planning.leftovers.SweepChecks} holds these rules one by one, {@link
 * io.shardwright.planning.leftovers.SweepPlanner} their order: what may fence goes before what may fill, because only without
 * it nobody can fence the owner behind our back, and a reversal goes before the move that it would have taken back.
 *
 * <p>Rows behind a tombstone are never touched: whether every router has left them nobody knows any more. They are told about.
 */
package io.shardwright.planning.leftovers;
