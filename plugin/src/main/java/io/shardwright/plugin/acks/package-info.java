/** Who has acknowledged the routing table. */
package io.shardwright.plugin.acks;
