/** The list of moves. */
package io.shardwright.plugin.moves;
