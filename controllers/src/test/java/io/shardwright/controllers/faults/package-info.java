/**
 * A move whose operator reaches the API server through a proxy, see {@code ApiPlanIT}: whatever is struck on the way, it ends as
 * if nothing had been. Databases and movers are those of {@code RunningRoom}, in memory: what movers do is proven where they are.
 */
package io.shardwright.controllers.faults;
