/** RoutingTable: the one object that routers read, written by the operator only. */
package io.shardwright.crds.routingtable;
