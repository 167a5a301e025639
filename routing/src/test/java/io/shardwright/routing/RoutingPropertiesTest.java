package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.routing.json.JsonReader;
import io.shardwright.routing.json.JsonWriter;
import java.math.BigInteger;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

class RoutingPropertiesTest {
    private static final long LIMIT = (1L << 53) - 1;

    /** Of buckets, or of keys when the first number is odd. */
    private static Handover handover(Map<Integer, Long> numbers, Set<Role> roles, Bucketing bucketing) {
        TreeMap<Scope, Long> scopes = new TreeMap<>();
        boolean keys = new TreeMap<>(numbers).firstKey() % 2 == 1;
        numbers.forEach((number, epoch) -> scopes.put(
                keys ? Scope.of(ShardKey.of(KeyType.STRING, "k" + number), bucketing) : Scope.bucket(number), epoch));
        return new Handover(scopes, "ds-2", roles);
    }

    /** Numbers that become a handover once the number of buckets is known. */
    private record Drawn(Map<Integer, Long> numbers, Set<Role> roles) {}

    @Provide
    Arbitrary<RoutingTable> tables() {
        Arbitrary<List<String>> owners =
                Arbitraries.of("ds-0", "ds-1", "ds-2").list().ofMinSize(1).ofMaxSize(200);
        Arbitrary<Map<String, String>> pins =
                Arbitraries.maps(Arbitraries.strings().ofMaxLength(9), Arbitraries.of("ds-0", "ds-hot"));
        Arbitrary<Drawn> handover = Combinators.combine(
                        Arbitraries.maps(
                                        Arbitraries.integers().between(0, 199),
                                        Arbitraries.longs().between(1, LIMIT))
                                .ofMinSize(1),
                        Arbitraries.of(Role.class).set())
                .as((numbers, roles) -> new Drawn(numbers, Set.copyOf(roles)));
        Arbitrary<Long> numbers = Arbitraries.longs().between(0, LIMIT);
        return Combinators.combine(
                        owners, numbers, numbers, numbers, pins, handover.list().ofMaxSize(4))
                .as((map, revision, incarnation, epoch, pinned, handovers) -> new RoutingTable(
                        new TableOrder(incarnation, revision, 1),
                        epoch,
                        "orders",
                        "PostgreSQL",
                        KeyType.STRING,
                        new Bucketing(HashFunction.MD5, map.size()),
                        RunLengthMap.of(map),
                        RunLengthMap.filled(map.size(), epoch),
                        new TreeMap<>(pinned),
                        handovers.stream()
                                .map(drawn -> handover(
                                        drawn.numbers(), drawn.roles(), new Bucketing(HashFunction.MD5, map.size())))
                                .toList(),
                        new TreeMap<>(Map.of("ds-0", new ShardEntry(ShardRole.GENERAL, "h", 1)))));
    }

    @Property
    void aTableSurvivesItsDocumentAndHasOneText(@ForAll("tables") RoutingTable table) {
        String document = RoutingTableCodec.encode(table);

        assertThat(RoutingTableCodec.decode(document)).isEqualTo(table);
        assertThat(RoutingTableCodec.encode(RoutingTableCodec.decode(document))).isEqualTo(document);
    }

    @Property
    void aCutDocumentIsNeverATable(
            @ForAll("tables") RoutingTable table, @ForAll @IntRange(min = 1, max = 400) int cut) {
        String document = RoutingTableCodec.encode(table);
        String torn = document.substring(0, Math.max(0, document.length() - cut));

        assertThatThrownBy(() -> RoutingTableCodec.decode(torn)).isInstanceOf(MalformedTableException.class);
    }

    @Property
    void anyTextSurvivesJson(@ForAll String text) {
        assertThat(JsonReader.read(JsonWriter.write(Map.of("text", text)))).isEqualTo(Map.of("text", text));
    }

    @Property
    void aRunLengthMapSurvivesItsText(@ForAll("owners") List<String> owners) {
        RunLengthMap<String> map = RunLengthMap.of(owners);

        assertThat(RunLengthMap.parse(map.encode(), owners.size(), shard -> shard))
                .isEqualTo(map);
        assertThat(map.encode().split(",")).hasSize(runs(owners));
    }

    @Property
    void aRunLengthMapOfAnotherSizeIsRefused(
            @ForAll("owners") List<String> owners, @ForAll @IntRange(min = 1, max = 400) int buckets) {
        String text = RunLengthMap.of(owners).encode();

        if (buckets != owners.size()) {
            assertThatThrownBy(() -> RunLengthMap.parse(text, buckets, shard -> shard))
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Provide
    Arbitrary<List<String>> owners() {
        return Arbitraries.of("ds-0", "ds-1", "shard*2").list().ofMinSize(1).ofMaxSize(300);
    }

    private static int runs(List<String> owners) {
        int runs = 1;
        for (int i = 1; i < owners.size(); i++) {
            runs += owners.get(i).equals(owners.get(i - 1)) ? 0 : 1;
        }
        return runs;
    }

    @Property
    void aNumberIsOneKeyInEverySpelling(@ForAll long number, @ForAll @IntRange(max = 3) int zeros) {
        String text = Long.toString(number);
        String sign = number < 0 ? "-" : "";
        String padded = sign + "0".repeat(Math.min(zeros, 20 - text.length())) + text.substring(sign.length());

        assertThat(ShardKey.of(KeyType.INT64, padded)).isEqualTo(ShardKey.of(KeyType.INT64, number));
        assertThat(ShardKey.of(KeyType.INT64, number).text()).isEqualTo(text);
    }

    @Property
    void aUuidIsOneKeyInEverySpelling(@ForAll long high, @ForAll long low) {
        UUID uuid = new UUID(high, low);

        assertThat(ShardKey.of(KeyType.UUID, uuid.toString().toUpperCase(java.util.Locale.ROOT)))
                .isEqualTo(ShardKey.of(KeyType.UUID, uuid));
    }

    @Property
    void moduloIsTheFloorOfAnyNumber(@ForAll long number, @ForAll @IntRange(min = 1, max = 65_536) int buckets) {
        int bucket = new Bucketing(HashFunction.MODULO, buckets).bucketOf(ShardKey.of(KeyType.INT64, number));

        assertThat(bucket)
                .isEqualTo(BigInteger.valueOf(number)
                        .mod(BigInteger.valueOf(buckets))
                        .intValue());
    }
}
