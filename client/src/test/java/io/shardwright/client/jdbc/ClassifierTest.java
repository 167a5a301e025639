package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClassifierTest {
    private final Classifier classifier = new Classifier();

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
        READ         | SELECT v FROM orders WHERE tenant_id = ? AND v IN (?, ?)
        READ         | select count(*), max(id) from orders
        READ         | WITH x AS (SELECT 1) SELECT * FROM x
        READ         | /* DELETE */ SELECT 'DELETE; UPDATE' -- INSERT
        READ         | SELECT substring(v FROM 1 FOR 3) FROM orders;
        READ         | SELECT $$ COMMIT; $$, $tag$ it's $$ $tag$
        READ         | SHOW work_mem
        READ         | EXPLAIN SELECT 1
        WRITE        | EXPLAIN ANALYZE UPDATE orders SET v = 1
        WRITE        | SELECT * FROM orders FOR UPDATE
        WRITE        | SELECT * FROM orders FOR KEY SHARE
        WRITE        | SELECT my_function(1)
        WRITE        | SELECT public.count(1)
        WRITE        | SELECT "count"(1)
        WRITE        | SELECT nextval('s')
        WRITE        | SELECT * INTO t FROM orders
        WRITE        | WITH x AS (DELETE FROM orders RETURNING *) SELECT * FROM x
        WRITE        | SELECT 1; SELECT 2
        WRITE        | SELECT 'no end
        WRITE        | SELECT 1 /* no /* end */
        PLAIN_INSERT | INSERT INTO orders (tenant_id, v) VALUES (?, 'x'), (-1, NULL)
        PLAIN_INSERT | INSERT INTO public."Orders" VALUES (?, DEFAULT, E'it\\'s') RETURNING id, orders.v AS value
        PLAIN_INSERT | INSERT INTO orders VALUES ($1, 1.5e3, TRUE);
        CHANGE       | INSERT INTO orders VALUES (?, lower('X'))
        CHANGE       | INSERT INTO orders VALUES (?, now())
        CHANGE       | INSERT INTO orders VALUES (?, current_user)
        CHANGE       | INSERT INTO orders VALUES (?, (SELECT 1))
        CHANGE       | INSERT INTO orders SELECT * FROM orders
        CHANGE       | INSERT INTO orders VALUES (?) ON CONFLICT DO NOTHING
        WRITE        | INSERT INTO orders VALUES (?) RETURNING lower(v)
        CHANGE       | INSERT INTO orders (v) OVERRIDING USER VALUE VALUES (1)
        CHANGE       | INSERT INTO orders DEFAULT VALUES
        CHANGE       | UPDATE orders SET v = 'RETURNING id; x';
        WRITE        | UPDATE orders SET v = 1 RETURNING v
        WRITE        | UPDATE orders SET v = 1; UPDATE orders SET v = 2
        CHANGE       | MERGE INTO orders USING x ON true WHEN MATCHED THEN DELETE
        WRITE        | SAVEPOINT a
        WRITE        | PREPARE p AS SELECT 1
        WRITE        | CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END
        SETTING      | SET LOCAL work_mem = '8MB'
        SETTING      | SET TRANSACTION ISOLATION LEVEL SERIALIZABLE
        SETTING      | set constraints all deferred
        SESSION_SETTING | SET search_path = other
        SESSION_SETTING | SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY
        SESSION_SETTING | SET "LOCAL" = 1
        SESSION_SETTING | set role x; SELECT 1
        SESSION_SETTING | RESET ALL
        SESSION_SETTING | DISCARD ALL
        PROCEDURE    | CALL p(1)
        PROCEDURE    | DO $$ BEGIN COMMIT; END $$
        PROCEDURE    | {call p(?)}
        CONTROL      | COMMIT AND CHAIN
        CONTROL      | begin
        CONTROL      | START TRANSACTION
        CONTROL      | ROLLBACK TO SAVEPOINT a
        CONTROL      | SELECT 1; COMMIT; SELECT 2
        CONTROL      | PREPARE TRANSACTION 'x'
        """)
    void tellsTheClassOf(StatementClass expected, String sql) {
        assertThat(classifier.classify(sql)).as(sql).isEqualTo(expected);
    }

    @Test
    void aBatchIsAsCarefulAsItsMostCarefulStatement() {
        String plain = "INSERT INTO orders VALUES (1)";
        assertThat(classifier.classifyBatch(List.of(plain, plain))).isEqualTo(StatementClass.PLAIN_INSERT);
        assertThat(classifier.classifyBatch(List.of(plain, "SELECT 1"))).isEqualTo(StatementClass.WRITE);
        assertThat(classifier.classifyBatch(List.of(plain, "COMMIT"))).isEqualTo(StatementClass.CONTROL);
        assertThat(classifier.classifyBatch(List.of(plain, "RESET ROLE"))).isEqualTo(StatementClass.SESSION_SETTING);
    }
}
