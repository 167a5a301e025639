/**
 * {@code kubectl shardwright}: what people type. It reads the objects that its user may read, computes with the planner and the
 * contract that operator and routers use ({@code io.shardwright.meaning} reads the objects for both), and changes nothing but
 * {@code spec.intent} of a BucketMove, through the API. It needs no operator and talks to no database.
 *
 * <p>A command is three things: a picocli class that asks, a pure class that decides what is to be said, and a record that is
 * printed, as a text for people or as JSON or YAML for programs. Exit codes: {@link io.shardwright.plugin.ExitCode}.
 */
package io.shardwright.plugin;
