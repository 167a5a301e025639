/**
 * When forward steps may begin: windows that come again, and freezes that come once.
 *
 * <p>A window is a list of clock times at which it opens ({@link io.shardwright.planning.windows.Schedule}, which knows no zone),
 * a length, and a zone. Where a clock is put forward past such a time the window opens at that moment; where a clock shows the time
 * twice it opens twice, so that it is open whenever the clock says so. Its length is real time. A freeze beats every window. Without
 * a window it is open always, outside of freezes.
 */
package io.shardwright.planning.windows;
