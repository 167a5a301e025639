/** How a result reaches people: one stored status, then the events of what changed in it. */
package io.shardwright.controllers.report;
