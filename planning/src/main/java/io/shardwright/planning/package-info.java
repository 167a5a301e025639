/**
 * Pure decisions: one observation in, one plan out, with its reason. No clock, no I/O, no Kubernetes; the same classes run
 * in production and in the models of the tests.
 */
package io.shardwright.planning;
