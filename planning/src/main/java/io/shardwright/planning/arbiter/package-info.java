/** Who waits for whom, so that maintenance never meets itself. */
package io.shardwright.planning.arbiter;
