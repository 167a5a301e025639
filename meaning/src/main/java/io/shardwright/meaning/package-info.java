/**
 * What the objects of {@code crds} mean in the types of {@code routing} and {@code planning}. It stands between them, because a
 * kind must not know the decisions and a decision must not know Kubernetes; and it is a room of its own, because the operator and
 * the plugin of kubectl must read the same objects in the same way: that is why both compute the same plan with the same hash. No
 * I/O; {@code docs/decisions/0029}.
 */
package io.shardwright.meaning;
