/** What is really so, read from the databases and the machine and from nobody's status: owners of buckets, leftovers. */
package io.shardwright.stage.truth;
