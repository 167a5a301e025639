/**
 * The stage of demo and stories: the whole product as a user would run it, on one machine and on loopback only.
 *
 * <p>What is real: the Kubernetes API server with its roles and policies, kubectl, the shipped manifests and the shipped
 * database script, PostgreSQL, the operator's process under exactly its ServiceAccount, router processes with tokens that
 * are bound to their pods. What is played: the kubelet ({@link io.shardwright.stage.kubelet.StageKubelet}), which binds pod
 * objects to those processes and keeps their status true to them.
 *
 * <p>Start at {@link io.shardwright.stage.Stage}.
 */
package io.shardwright.stage;
