/** Where one key lives, and why. */
package io.shardwright.plugin.explain;
