/**
 * What is said: the four kinds of {@code shardwright.io/v1alpha1} as immutable Java types, the condition types and the reasons.
 *
 * <p>The custom resource definitions in {@code manifests/crds} are generated from these types ({@code -Dcrds.update} rewrites
 * them, a stale file fails the build). Whatever can be refused without looking at another object is refused by the API
 * server, by schema or by a rule whose message tells what to do; what needs another object becomes
 * {@code Accepted=False} with a {@link io.shardwright.crds.Reason}. A field enters a kind when something obeys it, never
 * before.
 */
package io.shardwright.crds;
