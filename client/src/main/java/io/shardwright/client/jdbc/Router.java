package io.shardwright.client.jdbc;

import io.shardwright.client.load.LoadMeter;
import io.shardwright.client.pools.PoolSet;
import io.shardwright.client.table.Contact;
import io.shardwright.client.table.Flights;
import io.shardwright.client.table.RouteTable;
import io.shardwright.routing.Role;
import java.util.Random;

/**
 * What sessions share.
 *
 * @param applicationName of the router's database sessions
 * @param refresh asks the sources for a newer table, in the background
 */
public record Router(
        Role role,
        String applicationName,
        RouteTable table,
        Flights flights,
        PoolSet pools,
        Contact contact,
        Scopes scopes,
        RouterCounters counters,
        LoadMeter load,
        Random random,
        Runnable refresh) {}
