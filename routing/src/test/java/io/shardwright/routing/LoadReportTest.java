package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.routing.json.MalformedDocumentException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What was asked of the shards, on its way with an acknowledgement. */
class LoadReportTest {
    private static final LoadReport LOAD = new LoadReport(
            7,
            10_003,
            List.of(
                    new ShardLoad(
                            "ds-0",
                            900,
                            List.of(new KeyLoad("42", 700, 702), new KeyLoad("a \"key\"", 12, 14)),
                            new Latencies(Map.of(0, 150L, 127, 3L))),
                    new ShardLoad("ds-1", 0, List.of(), Latencies.NONE)));

    private static Acknowledgement with(LoadReport load) {
        return new Acknowledgement("uid", "b-1", "web-7", Role.WEB, 5, "0", 1, 12, 14, 11, "ab", null, "java", load);
    }

    private static String document(LoadReport load) {
        return AcknowledgementCodec.encode(with(load));
    }

    private static LoadReport read(String document) {
        return AcknowledgementCodec.decode(document).load();
    }

    private static LoadReport ofKeys(List<KeyLoad> keys) {
        return new LoadReport(1, 10_000, List.of(new ShardLoad("ds-0", 0, keys, Latencies.NONE)));
    }

    @Test
    void travelsWhole() {
        assertThat(read(document(LOAD))).isEqualTo(LOAD);
        assertThat(LoadReportCodec.encode(LOAD.shards().get(1)))
                .isEqualTo("{\"hottest\":[],\"neighbours\":{},\"requests\":0,\"shard\":\"ds-1\"}");
    }

    @Test
    void aRouterNeedNotCount() {
        Acknowledgement silent =
                new Acknowledgement("uid", "b-1", "web-7", Role.WEB, 5, "0", 1, 12, 14, 11, "ab", null, "java");

        assertThat(silent).isEqualTo(with(null)).isEqualTo(with(LOAD).withoutLoad());
        assertThat(AcknowledgementCodec.encode(silent)).doesNotContain("load");
        assertThat(read(AcknowledgementCodec.encode(silent))).isNull();
        assertThat(read(AcknowledgementCodec.encode(silent).replace("\"instance\"", "\"load\":null,\"instance\"")))
                .isNull();
    }

    @Test
    void aRouterNeedNotTime() {
        String untimed = document(LOAD).replace("\"neighbours\":{\"0\":150,\"127\":3},", "");

        assertThat(read(untimed).shards().get(0).neighbours()).isEqualTo(Latencies.NONE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"slice\":7            | \"slice\":-7              | document.load.slice must be an integer",
                "\"millis\":10003,      | ``                        | document.load.millis must be an integer",
                "\"requests\":900       | \"requests\":2000000001   | document.load.shards[0].requests must be at most",
                "\"shard\":\"ds-0\"     | \"shard\":\"\"            | load: shard must have 1 to 256 characters",
                "\"shard\":\"ds-0\"     | \"shard\":\"ds-1\"        | load: a shard stands twice",
                "\"key\":\"42\"         | \"key\":\"a \\\"key\\\"\" | load: a key stands twice",
                "\"key\":\"42\"         | \"key\":42                | document.load.shards[0].hottest[0].key must be a string",
                "\"atMost\":702         | \"atMost\":699            | load: atMost of a key is below its atLeast",
                "\"atLeast\":700        | \"atLeast\":2000000001    | hottest[0].atLeast must be at most",
                "\"atMost\":702         | \"atMost\":2000000001     | hottest[0].atMost must be at most",
                "\"127\":3              | \"128\":3                 | load: neighbours are counted in buckets 0 to 127",
                "\"127\":3              | \"-1\":3                  | load: neighbours are counted in buckets 0 to 127",
                "\"127\":3              | \"00\":3                  | load: neighbours are counted in buckets 0 to 127",
                "\"127\":3              | \"127\":2000000001        | neighbours.127 must be at most",
                "\"127\":3              | \"127\":\"3\"             | neighbours.127 must be an integer"
            })
    void refusesAMalformedLoadAndNamesWhatIsWrong(String good, String bad, String words) {
        String document = document(LOAD);
        assertThat(document).contains(good);

        assertThatThrownBy(() -> read(document.replace(good, bad)))
                .isInstanceOf(MalformedDocumentException.class)
                .hasMessageContaining(words);
    }

    @Test
    void theMostThatMayBeCountedIsRead() {
        LoadReport most = new LoadReport(
                (1L << 53) - 1,
                0,
                List.of(new ShardLoad(
                        "s".repeat(256),
                        LoadReport.MAX_COUNT,
                        List.of(new KeyLoad("k".repeat(128), LoadReport.MAX_COUNT, LoadReport.MAX_COUNT)),
                        new Latencies(Map.of(127, (long) LoadReport.MAX_COUNT)))));

        assertThat(read(document(most))).isEqualTo(most);
        assertThatThrownBy(() -> read(document(ofKeys(List.of(new KeyLoad("k".repeat(129), 1, 1))))))
                .hasMessage("load: key must have 1 to 128 characters");
    }

    @Test
    void listsAreBounded() {
        List<KeyLoad> keys = IntStream.range(0, 33)
                .mapToObj(key -> new KeyLoad(Integer.toString(key), 1, 1))
                .toList();
        List<ShardLoad> shards = IntStream.range(0, 1_025)
                .mapToObj(shard -> new ShardLoad("ds-" + shard, 1, List.of(), Latencies.NONE))
                .toList();

        assertThat(read(document(ofKeys(keys.subList(0, 32)))).shards().get(0).hottest())
                .hasSize(32);
        assertThatThrownBy(() -> read(document(ofKeys(keys)))).hasMessage("load: hottest has more than 32 entries");
        assertThat(read(document(new LoadReport(1, 1, shards.subList(0, 1_024))))
                        .shards())
                .hasSize(1_024);
        assertThatThrownBy(() -> read(document(new LoadReport(1, 1, shards))))
                .hasMessage("load: shards has more than 1024 entries");
    }
}
