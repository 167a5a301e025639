/** What an application may see beside the errors of its database. Each says what to do. */
package io.shardwright.client.errors;
