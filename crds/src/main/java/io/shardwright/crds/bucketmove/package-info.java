/** BucketMove: one move of a set of buckets from one shard to another, and its whole story. */
package io.shardwright.crds.bucketmove;
