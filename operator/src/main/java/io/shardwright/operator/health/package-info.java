/** What probes ask. Answers come from memory only, so they come while the API server is away. */
package io.shardwright.operator.health;
