/** How the schemas get what no annotation of the generator can say. */
package io.shardwright.crds.schema;
