/**
 * Just enough JSON for the documents of the contract, without a library: strict to read (no duplicate names, no trailing
 * text, bounded depth), sorted names to write, so that one value has one text and a digest of the text means something.
 */
package io.shardwright.routing.json;
