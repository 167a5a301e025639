package io.shardwright.dataplane.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.ShardAccess.Login;
import io.shardwright.dataplane.ShardAccess.Tls;
import io.shardwright.dataplane.ShardAccess.Tls.Mode;
import io.shardwright.dataplane.ShardException;
import io.shardwright.dataplane.ShardSight.Problem;
import io.shardwright.dataplane.ShardSight.Problem.Kind;
import io.shardwright.dataplane.postgres.PostgresSessions.As;
import io.shardwright.servers.CertificateAuthority;
import io.shardwright.servers.FreePorts;
import io.shardwright.servers.PostgresServer;
import io.shardwright.servers.PostgresServer.Version;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Ways to a server that work, and ways that must not; what is said about them has no secret in it. */
class PostgresSessionsIT {
    private static final CertificateAuthority AUTHORITY = CertificateAuthority.create("shop CA");
    private static PostgresServer tlsServer;
    private static ShopDatabase shop;

    private final PostgresSessions sessions = new PostgresSessions();
    private final PostgresShards shards = new PostgresShards(sessions);

    @BeforeAll
    static void openShop() {
        tlsServer = PostgresServer.builder()
                .name("tls")
                .tls(AUTHORITY.loopbackServer())
                .start();
        shop = ShopDatabase.fenced(tlsServer, "shop");
    }

    @AfterAll
    static void closeServer() {
        tlsServer.close();
    }

    private static ShardAccess access(List<Endpoint> instances, Login operator, Login mover, Tls tls) {
        return new ShardAccess("ds-0", instances, "shop", operator, mover, tls);
    }

    private static ShardAccess with(Tls tls) {
        ShardAccess plain = shop.access();
        return access(plain.instances(), plain.operator(), plain.mover(), tls);
    }

    private static Endpoint nobody() {
        return new Endpoint("nobody", "127.0.0.1", FreePorts.next());
    }

    private String valueOf(ShardAccess access, String query) throws ShardException, SQLException {
        try (Connection connection = sessions.primary(access, As.OPERATOR, Session.probe("shardwright/test"));
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    @Test
    void everySessionHasTheSameSettingsWhateverTheRoleHas() throws ShardException, SQLException {
        shop.plant("""
                ALTER ROLE shardwright_operator SET DateStyle = 'SQL, DMY'; ALTER ROLE shardwright_operator SET TimeZone = 'Asia/Seoul';
                ALTER ROLE shardwright_operator SET search_path = 'evil'; ALTER ROLE shardwright_operator SET bytea_output = 'escape';
                ALTER ROLE shardwright_operator SET IntervalStyle = 'sql_standard'; ALTER ROLE shardwright_operator SET synchronous_commit = 'off';
                ALTER ROLE shardwright_operator SET default_transaction_isolation = 'serializable'""");
        String everything = """
                SELECT string_agg(setting, '|' ORDER BY name) FROM pg_settings WHERE name IN ('DateStyle', 'TimeZone', 'search_path',
                  'bytea_output', 'IntervalStyle', 'synchronous_commit', 'extra_float_digits', 'row_security', 'application_name',
                  'transaction_isolation', 'statement_timeout', 'lock_timeout')""";

        assertThat(valueOf(shop.access(), everything).split("\\|"))
                .containsExactlyInAnyOrder(
                        "ISO, YMD",
                        "UTC",
                        "pg_catalog, pg_temp",
                        "hex",
                        "postgres",
                        "on",
                        "3",
                        "off",
                        "shardwright/test",
                        "read committed",
                        "5000",
                        "2000");
        shop.plant("ALTER ROLE shardwright_operator RESET ALL");
    }

    @Test
    void aStrongerCommitIsNotWeakened() throws ShardException, SQLException {
        shop.plant("ALTER ROLE shardwright_operator SET synchronous_commit = remote_apply");

        assertThat(valueOf(shop.access(), "SHOW synchronous_commit")).isEqualTo("remote_apply");
        shop.plant("ALTER ROLE shardwright_operator RESET ALL");
    }

    @Test
    void onlyTheRightServerIsTrusted() throws ShardException, SQLException {
        String encrypted = "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        assertThat(valueOf(with(new Tls(Mode.VERIFY_FULL, AUTHORITY.certificatePem())), encrypted))
                .isEqualTo("t");
        assertThat(valueOf(with(new Tls(Mode.VERIFY_CA, AUTHORITY.certificatePem())), encrypted))
                .isEqualTo("t");
        assertThat(valueOf(with(new Tls(Mode.REQUIRE, null)), encrypted)).isEqualTo("t");
        assertThat(valueOf(with(new Tls(Mode.DISABLE, null)), encrypted)).isEqualTo("f");

        CertificateAuthority other = CertificateAuthority.create("other CA");
        for (Tls wrong : List.of(
                new Tls(Mode.VERIFY_FULL, other.certificatePem()),
                new Tls(Mode.VERIFY_CA, other.certificatePem()),
                new Tls(Mode.VERIFY_FULL, null),
                new Tls(Mode.VERIFY_FULL, "no certificate"))) {
            assertThatThrownBy(() -> valueOf(with(wrong), encrypted)).isInstanceOf(ShardException.class);
        }
    }

    @Test
    void anExpiredCertificateAWrongNameAndAPlainServerAreRefused() {
        Tls full = new Tls(Mode.VERIFY_FULL, AUTHORITY.certificatePem());
        List<CertificateAuthority.Issued> wrong = List.of(
                AUTHORITY.server(List.of("elsewhere.example"), List.of("192.0.2.7")),
                AUTHORITY.server(
                        List.of("localhost"),
                        List.of("127.0.0.1"),
                        Instant.now().minusSeconds(60)));
        for (CertificateAuthority.Issued issued : wrong) {
            try (PostgresServer server =
                    PostgresServer.builder().name("wrong-tls").tls(issued).start()) {
                assertRefused(server, full);
            }
        }
        assertRefused(SharedServers.of(Version.NEWEST), full);
        assertRefused(SharedServers.of(Version.NEWEST), new Tls(Mode.REQUIRE, null));
    }

    private void assertRefused(PostgresServer server, Tls tls) {
        Login superuser = new Login(server.superuser(), server.superuserPassword());
        ShardAccess access = new ShardAccess(
                "ds-0",
                List.of(new Endpoint("a", server.host(), server.port())),
                "postgres",
                superuser,
                superuser,
                tls);
        assertThatThrownBy(() -> sessions.primary(access, As.OPERATOR, Session.probe("x")))
                .isInstanceOf(ShardException.class);
        assertThat(shards.look(access, ShopDatabase.SCHEMA).problems())
                .extracting(Problem::kind)
                .containsExactly(Kind.UNREACHABLE);
    }

    @Test
    void aShardThatLiesIsNamedWithoutSecrets() {
        ShardAccess good = shop.access();
        List<ShardAccess> lying = List.of(
                access(good.instances(), new Login("shardwright_operator", "canary-wrong"), good.mover(), good.tls()),
                access(good.instances(), good.operator(), new Login("shardwright_mover", "canary-wrong"), good.tls()),
                access(good.instances(), new Login("nobody", "canary-wrong"), good.mover(), good.tls()),
                new ShardAccess("ds-0", good.instances(), "nowhere", good.operator(), good.mover(), good.tls()),
                access(List.of(nobody()), good.operator(), good.mover(), good.tls()),
                access(
                        List.of(new Endpoint("a", "no-such-host.invalid", 5432)),
                        good.operator(),
                        good.mover(),
                        good.tls()),
                access(
                        List.of(new Endpoint("a", "127.0.0.1/x?user=postgres&", 5432)),
                        good.operator(),
                        good.mover(),
                        good.tls()),
                access(List.of(), good.operator(), good.mover(), good.tls()));
        List<Kind> kinds = new ArrayList<>();
        for (ShardAccess shard : lying) {
            Problem first = shards.look(shard, ShopDatabase.SCHEMA).problems().getFirst();
            kinds.add(first.kind());
            assertThat(first.message()).doesNotContain("canary").contains(";");
        }

        assertThat(kinds)
                .containsExactly(
                        Kind.ACCESS_DENIED,
                        Kind.ACCESS_DENIED,
                        Kind.ACCESS_DENIED,
                        Kind.ACCESS_DENIED,
                        Kind.UNREACHABLE,
                        Kind.UNREACHABLE,
                        Kind.UNREACHABLE,
                        Kind.NO_PRIMARY);
    }

    @Test
    void aStandbyThatIsDownDoesNotHideThePrimary() throws ShardException {
        ShardAccess good = shop.access();
        ShardAccess withOneDown =
                access(List.of(nobody(), good.instances().getFirst()), good.operator(), good.mover(), good.tls());

        assertThat(sessions.primaryOf(withOneDown, As.OPERATOR))
                .isEqualTo(good.instances().getFirst());
    }

    @Test
    void twoPrimariesAreNoPrimary() {
        Endpoint one = shop.access().instances().getFirst();
        ShardAccess split = access(
                List.of(one, new Endpoint("b", "localhost", one.port())),
                shop.access().operator(),
                shop.access().mover(),
                shop.access().tls());

        assertThat(shards.look(split, ShopDatabase.SCHEMA).problems())
                .extracting(Problem::kind)
                .containsExactly(Kind.NO_PRIMARY);
        assertThatThrownBy(() -> shards.installFence(split, ShopDatabase.SCHEMA))
                .isInstanceOf(ShardException.class)
                .hasMessageContaining("2 instances answer as primary");
    }

    @Test
    void aFrozenServerIsGivenUpInSeconds() {
        tlsServer.freeze();
        try {
            assertThat(shards.look(shop.access(), ShopDatabase.SCHEMA).problems())
                    .extracting(Problem::kind)
                    .containsExactly(Kind.UNREACHABLE);
        } finally {
            tlsServer.thaw();
        }
    }

    @Test
    void whatAServerSaysAboutValuesIsNotRepeated() {
        SQLException duplicate = assertThatThrownBySql("INSERT INTO orders VALUES (1, 1), (1, 1)");

        assertThat(PostgresSessions.failure(shop.access(), "write", duplicate))
                .hasMessageContaining("duplicate key")
                .hasMessageNotContaining("(1, 1)")
                .hasMessageNotContaining("Detail");
    }

    private SQLException assertThatThrownBySql(String sql) {
        try (Connection app = shop.app();
                Statement statement = app.createStatement()) {
            statement.execute(sql);
            throw new AssertionError("it was accepted");
        } catch (SQLException e) {
            return e;
        }
    }
}
