/** The sample application's databases: schema, seed data placed as its team has placed it, one server per shard. */
package io.shardwright.stage.shop;
