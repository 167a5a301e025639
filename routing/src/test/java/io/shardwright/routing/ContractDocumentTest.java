package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of docs/contract.md are documents that the contract accepts, and mean what the text says. */
class ContractDocumentTest {
    private static final Pattern EXAMPLE = Pattern.compile("```json\\n(.*?)```", Pattern.DOTALL);

    private static List<String> examples() throws IOException {
        String document = Files.readString(Path.of("../docs/contract.md"));
        return EXAMPLE.matcher(document)
                .results()
                .map(example -> example.group(1))
                .toList();
    }

    @Test
    void theExampleTableRoutesAsTheTextSays() throws IOException {
        RoutingTable table = RoutingTableCodec.decode(examples().get(0));

        assertThat(TableInvariants.check(null, table)).isEmpty();
        assertThat(table.bucketMap().get(5)).isEqualTo("ds-1");
        assertThat(table.handovers()).hasSize(2);
        assertThat(table.handovers().get(1).visibleTo()).containsExactly(Role.WORKER);
    }

    @Test
    void theExampleRefusalNamesWhoOwnsABucketThatComesBack() throws IOException {
        FenceRefusal refusal = FenceRefusal.parse(examples().get(2));

        assertThat(refusal.state()).isEqualTo(FenceState.IMPORTING);
        assertThat(refusal.owner()).isEqualTo("ds-4");
        assertThat(refusal.epoch()).isEqualTo(8);
    }

    @Test
    void theExampleAcknowledgementIsOfTheExampleTable() throws IOException {
        String onTheWire = examples().get(0).replaceAll("\\s", "");
        RoutingTable table = RoutingTableCodec.decode(onTheWire);
        Acknowledgement ack = AcknowledgementCodec.decode(examples().get(1));

        assertThat(onTheWire).isEqualTo(RoutingTableCodec.encode(table));
        assertThat(ack.digest()).isEqualTo(TableDigest.of(onTheWire));
        assertThat(new TableOrder(ack.incarnation(), ack.appliedRevision(), ack.generation()))
                .isEqualTo(table.order());
    }

    @Test
    void theExampleAcknowledgementIsOne() throws IOException {
        Acknowledgement ack = AcknowledgementCodec.decode(examples().get(1));

        assertThat(ack.role()).isEqualTo(Role.WEB);
        assertThat(ack.appliedRevision()).isEqualTo(8);
        assertThat(ack.nack()).isNull();
        ShardLoad load = ack.load().shards().get(0);
        assertThat(load.hottest()).containsExactly(new KeyLoad("42", 700, 702));
        assertThat(load.neighbours().quantile(0.95)).contains(Latencies.endOf(22));
    }
}
