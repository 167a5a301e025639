/**
 * BucketMove: reads what the databases, the mover, the table and the routers say, lets
 * {@link io.shardwright.planning.moves.MovePlanner} choose one step, stores what is about to be done, and does it. Movers are
 * opened when a step needs one and closed when the move ends; a new leader opens new ones, which begin from the truth in the
 * databases.
 *
 * <p>A move that is taken back is two legs under one object: the way there, and the way back, which is a move of its own with
 * its own id, mover, table clock and cleanup gate. One pass is about one leg. {@code status.reversal} says which: it is stored
 * before the first step of the way back, and until its phase is terminal the passes are about that leg; the move itself shows
 * Reversing meanwhile.
 */
package io.shardwright.controllers.bucketmove;
