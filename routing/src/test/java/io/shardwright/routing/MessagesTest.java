package io.shardwright.routing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.routing.json.MalformedDocumentException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The small documents: acknowledgement, its answer, the refusal of a database. */
class MessagesTest {
    private static final Acknowledgement ACK = new Acknowledgement(
            "6a1c2b5e-0000-4000-8000-000000000001",
            "b-1",
            "orders-web-7",
            Role.WEB,
            5,
            "0",
            1,
            12,
            14,
            11,
            "ab12",
            null,
            "java 0.1");

    @Test
    void anAcknowledgementTravelsWhole() {
        Acknowledgement refusing = new Acknowledgement(
                ACK.instance(), "b-2", ACK.pod(), Role.WORKER, 0, "1", 0, 0, 0, 0, "", "T9: web \"first\"\n", "");

        assertThat(AcknowledgementCodec.decode(AcknowledgementCodec.encode(ACK)))
                .isEqualTo(ACK);
        assertThat(AcknowledgementCodec.decode(AcknowledgementCodec.encode(refusing)))
                .isEqualTo(refusing);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "\"role\":\"web\"        | \"role\":\"cron\"       | role must be worker or web",
                "\"boot\":\"b-1\"        | \"boot\":\" \"          | document.boot must not be blank",
                "\"boot\":\"b-1\",       | ``                      | document.boot must be a string",
                "\"sequence\":5          | \"sequence\":-5         | document.sequence must be an integer",
                "\"pod\":\"orders-web-7\"| \"pod\":[]              | document.pod must be a string"
            })
    void refusesAnAcknowledgementAndNamesTheField(String good, String bad, String words) {
        String document = AcknowledgementCodec.encode(ACK);
        assertThat(document).contains(good);

        assertThatThrownBy(() -> AcknowledgementCodec.decode(document.replace(good, bad)))
                .isInstanceOf(MalformedDocumentException.class)
                .hasMessageContaining(words);
    }

    @Test
    void refusesNamesThatAreTooLongToPrint() {
        String longest = AcknowledgementCodec.encode(ACK).replace("orders-web-7", "x".repeat(256));
        String document = longest.replace("xxx\"", "xxxx\"");

        assertThat(AcknowledgementCodec.decode(longest).pod()).hasSize(256);
        assertThatThrownBy(() -> AcknowledgementCodec.decode(document))
                .hasMessage("document.pod is longer than 256 characters");
    }

    @Test
    void anAnswerTravelsWhole() {
        AckReply confirmed = new AckReply(true, new TableOrder(1, 12, 14));
        AckReply nothingYet = new AckReply(false, null);

        assertThat(AckReplyCodec.encode(confirmed))
                .isEqualTo("{\"confirmed\":true,\"newest\":{\"generation\":14,\"incarnation\":1,\"revision\":12}}");
        assertThat(AckReplyCodec.decode(AckReplyCodec.encode(confirmed))).isEqualTo(confirmed);
        assertThat(AckReplyCodec.decode(AckReplyCodec.encode(nothingYet))).isEqualTo(nothingYet);
    }

    @Test
    void readsTheRefusalOfADatabaseAsPostgresWritesIt() {
        assertThat(FenceRefusal.parse("{\"bucket\" : 7, \"state\" : \"MOVED\", \"owner\" : \"ds-4\", \"epoch\" : 12,"
                        + " \"move\" : \"6a1c2b5e-0000-4000-8000-000000000001\"}"))
                .isEqualTo(new FenceRefusal(7, FenceState.MOVED, "ds-4", 12, "6a1c2b5e-0000-4000-8000-000000000001"));
        assertThat(FenceRefusal.parse(
                        "{\"bucket\":0,\"state\":\"ABSENT\",\"owner\":null,\"epoch\":null,\"move\":null}"))
                .isEqualTo(new FenceRefusal(0, FenceState.ABSENT, null, 0, null));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "null",
            value = {
                "null                                   | without DETAIL",
                "Key (id)=(7) already exists.           | no valid JSON",
                "{\"state\":\"MOVED\"}                  | document.bucket",
                "{\"bucket\":7,\"state\":\"GONE\"}      | unknown state GONE",
                "{\"bucket\":65536,\"state\":\"MOVED\"} | at most 65535"
            })
    void refusesADetailThatTheFenceDidNotWrite(String detail, String words) {
        assertThatThrownBy(() -> FenceRefusal.parse(detail))
                .isInstanceOf(MalformedDocumentException.class)
                .hasMessageContaining(words);
    }
}
