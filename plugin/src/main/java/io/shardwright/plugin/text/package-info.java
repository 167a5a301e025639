/** How answers look. */
package io.shardwright.plugin.text;
