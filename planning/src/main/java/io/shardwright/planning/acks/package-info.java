/** Who must have acknowledged what before anything goes on. */
package io.shardwright.planning.acks;
