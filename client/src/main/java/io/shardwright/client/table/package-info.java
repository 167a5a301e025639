/**
 * What this router believes: one immutable {@link io.shardwright.client.table.RouteView} behind one volatile reference.
 *
 * <p>Documents come from the feed, a mounted file and the file with the last known table; the highest order of any of them
 * wins, and a table that breaks a rule is refused whole ({@link io.shardwright.client.table.TableIntake}). Work registers
 * in {@link io.shardwright.client.table.Flights} before it reads the view and looks again afterwards, so that an
 * acknowledgement never claims a revision while a thread still routes by an older one. A router that nobody confirms
 * ({@link io.shardwright.client.table.Contact}) asks the fences themselves
 * ({@link io.shardwright.client.table.FenceWatch}).
 */
package io.shardwright.client.table;
