/**
 * The line to the operator: tables come in by one event stream, acknowledgements go out by one call. Losing it stops
 * nothing: the router works on with the table it has.
 */
package io.shardwright.client.feed;
