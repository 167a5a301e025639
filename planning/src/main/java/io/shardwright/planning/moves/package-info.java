/** How one move goes on: phases, steps, the recovery table, and the planner that chooses the next step from the truth. */
package io.shardwright.planning.moves;
