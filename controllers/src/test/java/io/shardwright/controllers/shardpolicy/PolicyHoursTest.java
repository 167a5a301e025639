package io.shardwright.controllers.shardpolicy;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.client.utils.Serialization;
import io.shardwright.crds.shardpolicy.ShardPolicy;
import io.shardwright.planning.windows.Closure;
import io.shardwright.planning.windows.Hours;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a spec says about time, and what no API server can judge of it. */
class PolicyHoursTest {
    private static final Instant NOON = Instant.parse("2026-06-10T12:00:00Z");

    private final PolicyHours hours = new PolicyHours();

    @Test
    void withoutAPolicyAndWithoutAWindowItIsOpen() {
        assertThat(hours.of(Optional.empty(), NOON)).isEqualTo(Hours.ALWAYS);
        assertThat(at("handoverTimeout: 10s")).isEqualTo(Hours.ALWAYS);
    }

    @Test
    void windowsAndFreezesOfTheSpecAreObeyed() {
        assertThat(at("windows: [{cron: '0 21 * * *', duration: 1h30m, timeZone: Asia/Seoul}]"))
                .isEqualTo(new Hours(Optional.empty(), Optional.of(Instant.parse("2026-06-10T13:30:00Z"))));
        assertThat(at("freezes: [{from: '2026-06-10T14:00:00+02:00', to: '2026-06-11T00:00:00Z', reason: audit}]")
                        .closed()
                        .orElseThrow()
                        .reason())
                .isEqualTo("frozen from 2026-06-10T12:00:00Z to 2026-06-11T00:00:00Z: audit");
    }

    @ParameterizedTest(name = "{0} in {1}")
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "0 2 * * *,    Asia/Soul,   \"spec.windows[0].timeZone: there is no time zone Asia/Soul\"",
                "0 2 * * *,    asia/seoul,  \"there is no time zone asia/seoul\"",
                "0 2 * * *,    GMT+5,       \"there is no time zone GMT+5\"",
                "0 0 30 2 *,   UTC,         \"spec.windows[0].cron: the day of 0 0 30 2 * never comes\"",
                "\"0 0 31 4,6 *\", UTC,     \"never comes\"",
                "0 5-1 * * *,  UTC,         \"Invalid range! [5,1]\"",
                "*/90 * * * *, UTC,         \"Period 90 not in range\"",
                "0 2 * *,      UTC,         \"contains 4 parts but we expect one of [5]\""
            })
    void whatCannotBeObeyedClosesAndSaysWhere(String cron, String zone, String words) {
        Closure closure = at("windows: [{cron: '" + cron + "', duration: 1h, timeZone: " + zone + "}]")
                .closed()
                .orElseThrow();

        assertThat(closure.cause()).isEqualTo(Closure.Cause.UNREADABLE);
        assertThat(closure.reason()).contains("spec.windows[0]", words);
    }

    @Test
    void aTimeThatIsNoneClosesAndSaysWhere() {
        assertThat(at("freezes: [{from: yesterday, to: '2026-06-11T00:00:00Z', reason: audit}]")
                        .closed()
                        .orElseThrow()
                        .reason())
                .contains("spec.freezes[0].from: yesterday is no time");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "0 0 29 2 *,      2028-02-29T00:00:00Z",
        "0 0 30 2 1,      2027-02-01T00:00:00Z", // a day of the month or a weekday, as everywhere
        "30 4 1 */6 *,    2026-07-01T04:30:00Z",
        "0 0 * * 7,       2026-06-14T00:00:00Z",
        "0 0 * * SUN,     2026-06-14T00:00:00Z",
        "59 23 31 DEC *,  2026-12-31T23:59:00Z"
    })
    void opensWhenTheCronSays(String cron, Instant next) {
        Closure closure = at("windows: [{cron: '" + cron + "', duration: 1m, timeZone: UTC}]")
                .closed()
                .orElseThrow();

        assertThat(closure.until()).contains(next);
    }

    private Hours at(String spec) {
        ShardPolicy policy = Serialization.unmarshal("""
                metadata: {name: tolerance, namespace: shop, uid: uid}
                spec:
                  clusterRef: {name: orders}
                  %s
                """.formatted(spec), ShardPolicy.class);
        return hours.of(Optional.of(policy), NOON);
    }
}
