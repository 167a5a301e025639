package io.shardwright.routing.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Strict to read, one text to write: what a router in another language must refuse is refused here. */
class JsonTest {
    @Test
    void readsEveryKindOfValueWithBlanksAnywhere() {
        String text = " { \"list\" : [ 1 , -2.5e3 , true , false , null ] ,\r\n\t\"none\" : [ ] , \"no\" : { } } ";

        assertThat(JsonReader.read(text))
                .isEqualTo(Map.of(
                        "list",
                        Arrays.asList(1L, new BigDecimal("-2.5e3"), true, false, null),
                        "none",
                        List.of(),
                        "no",
                        Map.of()));
        assertThat(JsonReader.read("7")).isEqualTo(7L);
        assertThat(JsonReader.read("-0")).isEqualTo(0L);
    }

    @Test
    void readsEveryEscape() {
        assertThat(JsonReader.read("\"\\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u20ac \\uD83D\\ude00\""))
                .isEqualTo("\" \\ / \b \f \n \r \t \u20ac \ud83d\ude00");
    }

    static List<Arguments> textsThatAreNoJson() {
        return List.of(
                text("nothing", "", "ends early"),
                text("blanks only", "  ", "ends early"),
                text("a second value", "1 2", "text after the end"),
                text("a word that begins well", "nulL", "no JSON value"),
                text("a name without quotes", "{a:1}", "'\"' expected"),
                text("a name without a colon", "{\"a\" 1}", "':' expected"),
                text("members without a comma", "{\"a\":1 \"b\":2}", "',' expected"),
                text("items without a comma", "[1 2]", "',' expected"),
                text("a comma before the end", "[1,]", "no JSON value"),
                text("the wrong bracket", "[1}", "',' expected"),
                text("a list that does not end", "[1", "ends early"),
                text("a string that does not end", "\"a", "ends early"),
                text("a line feed inside a string", "\"a\nb\"", "control character"),
                text("the last control character", "\"\u001f\"", "control character"),
                text("an escape that nobody knows", "\"\\x\"", "unknown escape"),
                text("a letter that is no hexadecimal digit", "\"\\u12g4\"", "four hexadecimal digits"),
                text("digits of another script", "\"\\u\uff11\uff12\uff13\uff14\"", "four hexadecimal digits"),
                text("a plus", "+1", "no JSON value"),
                text("a leading zero", "01", "no JSON value"),
                text("a point without digits", "1.", "no JSON value"),
                text("a minus alone", "-", "no JSON value"),
                text("an exponent without digits", "1e", "no JSON value"),
                text("a number that is too long to be meant", "0." + "1".repeat(39), "no JSON value"),
                text("an integer above 63 bits", "9223372036854775808", "out of range"),
                text("lists 33 deep", "[".repeat(33) + 1 + "]".repeat(33), "nested deeper than 32"),
                text("objects 33 deep", "{\"a\":".repeat(33) + 1 + "}".repeat(33), "nested deeper than 32"));
    }

    private static Arguments text(String name, String text, String words) {
        return Arguments.argumentSet(name, text, words);
    }

    @ParameterizedTest
    @MethodSource("textsThatAreNoJson")
    void refusesWhatIsNoJson(String text, String words) {
        assertThatThrownBy(() -> JsonReader.read(text))
                .isInstanceOf(MalformedDocumentException.class)
                .hasMessageContaining(words);
    }

    @Test
    void saysWhereTheFaultIs() {
        assertThatThrownBy(() -> JsonReader.read("{\"a\": x}"))
                .hasMessage("no valid JSON at character 6: no JSON value");
    }

    @Test
    void readsUpToItsBounds() {
        String longest = "0." + "1".repeat(38);

        assertThat(JsonReader.read(longest)).isEqualTo(new BigDecimal(longest));
        assertThat(JsonWriter.write(JsonReader.read("[".repeat(32) + 1 + "]".repeat(32))))
                .startsWith("[[[")
                .contains("[1]");
        assertThat(JsonWriter.write(JsonReader.read("{\"a\":".repeat(32) + 1 + "}".repeat(32))))
                .contains("{\"a\":1}");
    }

    @Test
    void writesSortedNamesAndNothingThatIsNotNeeded() {
        Map<String, Object> value = new TreeMap<>(Map.of("b", List.of(1, 2L, true), "a c", "x y", "A", Map.of()));
        value.put("n", null);

        assertThat(JsonWriter.write(value)).isEqualTo("{\"A\":{},\"a c\":\"x y\",\"b\":[1,2,true],\"n\":null}");
        assertThat(JsonWriter.write("\" \\ / \u001f \n \u20ac")).isEqualTo("\"\\\" \\\\ / \\u001f \\u000a \u20ac\"");
    }

    @Test
    void writesNoValueThatItDoesNotKnow() {
        for (Object unknown : new Object[] {1.5, 'c', new BigDecimal("1"), List.of(1.5f)}) {
            assertThatThrownBy(() -> JsonWriter.write(unknown)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void whatIsAbsentIsEmptyAndLimitsAreIncluded() {
        JsonObject object = JsonReader.readObject("{\"port\":65535,\"list\":null,\"most\":9007199254740991}");

        assertThat(object.objects("list")).isEmpty();
        assertThat(object.texts("missing")).isEmpty();
        assertThat(object.optionalObject("missing")).isEmpty();
        assertThat(object.optionalWhole("missing")).isEmpty();
        assertThat(object.whole("port", 65_535)).isEqualTo(65_535);
        assertThat(object.whole("most")).isEqualTo((1L << 53) - 1);
        assertThatThrownBy(() -> object.whole("port", 65_534)).hasMessage("document.port must be at most 65534");
    }

    @Test
    void anItemOfAListIsNamedByItsPlace() {
        JsonObject object = JsonReader.readObject("{\"list\":[{},{},7]}");

        assertThatThrownBy(() -> object.objects("list")).hasMessage("document.list[2] must be an object");
        assertThatThrownBy(() -> object.texts("list")).hasMessage("document.list must be a list of strings");
    }
}
