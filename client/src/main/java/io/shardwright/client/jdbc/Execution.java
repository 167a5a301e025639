package io.shardwright.client.jdbc;

import java.sql.Statement;

/** A statement that was played on a physical connection, and the answer of its call. */
record Execution(Statement statement, Object result) {}
