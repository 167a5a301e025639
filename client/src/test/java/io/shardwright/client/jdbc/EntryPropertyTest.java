package io.shardwright.client.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.NotEmpty;

class EntryPropertyTest {
    @Property(tries = 300)
    void aKeyIsOneLiteralForTheServer(@ForAll @NotEmpty String key) {
        String sql = Entry.literalsFor(List.of(new Entry(3, key)));
        List<SqlToken> tokens = SqlToken.scan(sql).orElseThrow();
        assertThat(tokens.stream()
                        .map(SqlToken::text)
                        .filter(text -> !text.isEmpty())
                        .collect(Collectors.joining(" ")))
                .isEqualTo("SELECT SHARDWRIGHT . ENTER ( , , NULL ) ;");
    }
}
