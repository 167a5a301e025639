package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class ClassifierPropertyTest {
    private final Classifier classifier = new Classifier();

    /** Whatever stands inside a literal, a comment or a quoted name must not change the verdict. */
    @Property(tries = 300)
    void whatIsQuotedNeverMatters(@ForAll String text) {
        String literal = text.replace("'", "''");
        String name = text.replace("\"", "\"\"");
        String comment = text.replace("*/", "").replace("/*", "") + " ";
        assertThat(classifier.classify("SELECT '" + literal + "' FROM t")).isEqualTo(StatementClass.READ);
        assertThat(classifier.classify("SELECT 1 AS \"x" + name + "\" FROM t")).isEqualTo(StatementClass.READ);
        assertThat(classifier.classify("/*" + comment.replace("/", "") + "*/ DELETE FROM t"))
                .isEqualTo(StatementClass.CHANGE);
    }
}
