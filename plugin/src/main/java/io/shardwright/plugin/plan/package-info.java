/** The exact plan, by the operator's own planner, for what is stored or for what somebody is about to apply. */
package io.shardwright.plugin.plan;
