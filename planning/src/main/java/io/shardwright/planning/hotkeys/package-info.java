/**
 * Which keys are hot, and what is to be done about it: pure. Routers report slices of what they asked; {@link
 * io.shardwright.planning.hotkeys.LoadWindow} adds them up over the window, and {@link
 * io.shardwright.planning.hotkeys.HotKeyPlanner} takes each key from Candidate over Proposed and Pinned to CoolingDown and home.
 *
 * <p>What is done looks at the bound that makes it harder: a key is hot by its lower bound and cold by its upper bound, and between
 * the two, as between the threshold and half of it, everything stays as it is. Where a router is not heard nothing is known, and
 * unknown is neither hot nor cold.
 */
package io.shardwright.planning.hotkeys;
