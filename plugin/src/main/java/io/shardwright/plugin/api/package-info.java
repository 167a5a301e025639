/** The API server: which one, what may be read there, and what its refusals mean to a person. */
package io.shardwright.plugin.api;
