/** The live load of demo and stories: router processes, and what they count. */
package io.shardwright.e2e.load;
