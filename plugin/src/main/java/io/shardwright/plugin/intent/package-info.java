/**
 * The commands that act: each sets {@code spec.intent} of a BucketMove and nothing else. What was printed as the state before is
 * the state that was changed: the write carries the version that was read, and is decided anew when somebody was faster.
 */
package io.shardwright.plugin.intent;
