/**
 * BucketMove: reads what the databases, the mover, the table and the routers say, lets
 * {@link io.shardwright.planning.moves.MovePlanner} choose one step, stores what is about to be done, and does it. Movers are
 * opened when a step needs one and closed when the move ends; a new leader opens new ones, which begin from the truth in the
 * databases.
 */
package io.shardwright.controllers.bucketmove;
