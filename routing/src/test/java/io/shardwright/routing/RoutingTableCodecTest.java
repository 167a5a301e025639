package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RoutingTableCodecTest {
    private static final RoutingTable TABLE = Tables.handing(
            Tables.four(), Handover.ofBuckets(Map.of(17, 2L, 3, 2L), "ds-4").visibleTo(Role.WEB, Role.WORKER));

    @Test
    void writesOneCompactDocumentWithSortedNames() {
        assertThat(RoutingTableCodec.encode(TABLE))
                .isEqualTo("{\"bucketMap\":\"ds-0*25,ds-1*25,ds-2*25,ds-3*25\",\"buckets\":100,\"cluster\":\"orders\","
                        + "\"engine\":\"PostgreSQL\",\"epochs\":\"1*100\",\"generation\":9,"
                        + "\"handovers\":[{\"buckets\":[{\"bucket\":3,\"epoch\":2},{\"bucket\":17,\"epoch\":2}],"
                        + "\"to\":\"ds-4\",\"visibleTo\":[\"worker\",\"web\"]}],\"hash\":\"Modulo\",\"incarnation\":1,"
                        + "\"keyType\":\"Int64\",\"pins\":{\"42\":\"ds-hot\"},\"revision\":7,\"shards\":{"
                        + shard("ds-0", "General") + "," + shard("ds-1", "General") + "," + shard("ds-2", "General")
                        + ","
                        + shard("ds-3", "General") + "," + shard("ds-4", "General") + "," + shard("ds-hot", "Dedicated")
                        + "},\"writerEpoch\":3}");
    }

    @Test
    void aHandoverOfKeysNamesNoBuckets() {
        RoutingTable table = Tables.handing(
                Tables.four(), Handover.announced(Map.of(Scope.key("42", 42), 3L, Scope.key("-1", 99), 3L), "ds-4"));

        assertThat(RoutingTableCodec.encode(table))
                .contains("\"handovers\":[{\"keys\":[{\"epoch\":3,\"key\":\"42\"},{\"epoch\":3,\"key\":\"-1\"}],"
                        + "\"to\":\"ds-4\",\"visibleTo\":[]}]");
        assertThat(RoutingTableCodec.decode(RoutingTableCodec.encode(table))).isEqualTo(table);
    }

    private static String shard(String name, String role) {
        return "\"" + name + "\":{\"primary\":{\"host\":\"" + name + ".db\",\"port\":5432},\"role\":\"" + role + "\"}";
    }

    @Test
    void readsWhatANewerOperatorWritesAndSkipsWhatItDoesNotKnow() {
        String newer = RoutingTableCodec.encode(TABLE)
                .replace("\"buckets\":100", "\"buckets\":100,\"flags\":{\"x\":{\"seq\":1.5e3}},\"readFloors\":[null]");

        assertThat(RoutingTableCodec.decode(newer)).isEqualTo(TABLE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"generation\":9           | \"generation\":-9             | document.generation must be an integer",
                "\"generation\":9           | \"generation\":9007199254740992 | document.generation must be an integer",
                "\"generation\":9           | \"generation\":9.0            | document.generation must be an integer",
                "\"generation\":9           | \"generation\":\"9\"          | document.generation must be an integer",
                "\"revision\":7,            | ``                            | document.revision must be an integer",
                "\"revision\":7             | \"revision\":7,\"revision\":8 | stands twice",
                "\"cluster\":\"orders\"     | \"cluster\":null              | document.cluster must be a string",
                "\"buckets\":100            | \"buckets\":99                | the runs cover more than 99 buckets",
                "\"buckets\":100            | \"buckets\":101               | the runs cover 100 of 101 buckets",
                "\"buckets\":100            | \"buckets\":65537             | document.buckets must be at most 65536",
                "\"buckets\":100            | \"buckets\":0                 | buckets must be 1..65536",
                "\"hash\":\"Modulo\"        | \"hash\":\"CRC\"              | hash must be MD5 or Modulo",
                "\"keyType\":\"Int64\"      | \"keyType\":\"int\"           | keyType must be Int64",
                "\"epochs\":\"1*100\"       | \"epochs\":\"-1*100\"         | an epoch is 0 or more",
                "\"epochs\":\"1*100\"       | \"epochs\":\"x*100\"          | x",
                "[\"worker\",\"web\"]       | [\"cron\"]                    | role must be worker or web",
                "[\"worker\",\"web\"]       | \"worker\"                    | visibleTo must be a list",
                "{\"42\":\"ds-hot\"}        | {\"42\":7}                    | document.pins.42 must be a string",
                "\"port\":5432},\"role\":\"Dedicated\" | \"port\":65536},\"role\":\"Dedicated\" | ds-hot.primary.port must be at most 65535",
                "\"Dedicated\"              | \"Own\"                       | role must be General or Dedicated",
                "\"writerEpoch\":3}         | \"writerEpoch\":3}}           | text after the end",
                "\"writerEpoch\":3}         | \"writerEpoch\":3             | the text ends early"
            })
    void refusesADocumentAndNamesTheField(String good, String bad, String words) {
        String document = RoutingTableCodec.encode(TABLE);
        assertThat(document).contains(good);

        assertThatThrownBy(() -> RoutingTableCodec.decode(document.replace(good, bad)))
                .isInstanceOf(MalformedTableException.class)
                .hasMessageContaining(words);
    }

    @Test
    void refusesAHandoverThatNamesABucketTwice() {
        String document = RoutingTableCodec.encode(TABLE).replace("\"bucket\":17", "\"bucket\":3");

        assertThatThrownBy(() -> RoutingTableCodec.decode(document)).hasMessageContaining("names bucket 3 twice");
    }

    @Test
    void theDigestIsTheSha256OfTheDocument() {
        assertThat(TableDigest.of("{\"a\":\"\u20ac\"}"))
                .isEqualTo("db8566e7dc218a6795f689fe26667214b263a2443d9966d00742cbd38019c33e");
    }
}
