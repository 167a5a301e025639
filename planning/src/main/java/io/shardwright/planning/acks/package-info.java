/**
 * Who must have acknowledged what before anything goes on. Silence is never consent: a router that is stopped may continue
 * later with an old table, so whoever is live and has not clearly said yes holds the gate, by name.
 */
package io.shardwright.planning.acks;
