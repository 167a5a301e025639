/**
 * Removes what a move has left on one shard when nobody carries it on. It uses the tools of a mover, with this one shard at both
 * ends: a token that replaces those that were seen, so that every mover of the move is a zombie here from then on, commits that
 * standbys have, and deletion of rows under record and fence row. No session is ended, and no slot that is being read is dropped.
 */
package io.shardwright.dataplane.postgres.move.sweep;
