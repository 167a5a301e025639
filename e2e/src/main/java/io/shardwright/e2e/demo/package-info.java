/** The main job of the product, shown to a person; the same job is the first story of the tests. */
package io.shardwright.e2e.demo;
