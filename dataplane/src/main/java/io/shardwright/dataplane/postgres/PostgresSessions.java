package io.shardwright.dataplane.postgres;

import io.shardwright.dataplane.ShardAccess;
import io.shardwright.dataplane.ShardAccess.Endpoint;
import io.shardwright.dataplane.ShardException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Properties;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/**
 * Opens sessions on the servers of a shard, always directly and always with the same settings: encoding, formats of dates,
 * intervals, floats and bytes, time zone and search path, so that two servers print a value alike; row security that would
 * hide rows fails instead. Thread-safe; keeps no connection.
 */
public final class PostgresSessions {
    /** Which login of the shard. */
    public enum As {
        OPERATOR,
        MOVER
    }

    private static final String SETTINGS = """
            SET client_encoding = 'UTF8'; SET DateStyle = 'ISO, YMD'; SET IntervalStyle = 'postgres'; \
            SET extra_float_digits = 3; SET bytea_output = 'hex'; SET TimeZone = 'UTC'; \
            SET xmloption = 'content'; SET row_security = off; SET search_path = pg_catalog, pg_temp; \
            SET default_transaction_isolation = 'read committed'; SET default_transaction_read_only = off; \
            SET idle_in_transaction_session_timeout = 0; SET idle_session_timeout = 0; \
            SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') IN ('off', 'local', 'remote_write'); \
            SET statement_timeout = %d; SET lock_timeout = %d""";

    /** Longest wait for an instance's answer to who it is, also in a session that has no timeout afterwards. */
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private final Driver driver = new Driver();

    /** A session on the primary, and which instance that is. */
    public record OnPrimary(Endpoint instance, Connection session) {}

    /**
     * Asks every instance who is the primary, and keeps the session in which it answered.
     *
     * @throws ShardException when none answers as primary, or more than one: nobody knows then which one is right
     */
    public OnPrimary discover(ShardAccess shard, As as, Session session) throws ShardException {
        Session asking = session.answeringWithin(ANSWER);
        PrimaryDiscovery discovery = PrimaryDiscovery.ask(shard, instance -> connect(shard, as, instance, asking));
        discovery.keepThePrimaryOnly();
        PrimaryDiscovery.Answer primary = discovery.primary();
        try {
            primary.session()
                    .setNetworkTimeout(Runnable::run, (int) session.socket().toMillis());
            return new OnPrimary(primary.instance(), primary.session());
        } catch (SQLException e) {
            throw failure(shard, "use the session on " + primary.instance(), e);
        }
    }

    /** Which instance is the primary now. @throws ShardException as {@link #discover} */
    public Endpoint primaryOf(ShardAccess shard, As as) throws ShardException {
        OnPrimary found = discover(shard, as, Session.probe("shardwright/discovery"));
        try {
            found.session().close();
        } catch (SQLException e) {
            throw failure(shard, "end the session on " + found.instance(), e);
        }
        return found.instance();
    }

    /** Opens a session on the primary, whichever instance that is. */
    public Connection primary(ShardAccess shard, As as, Session session) throws ShardException {
        return discover(shard, as, session).session();
    }

    /** Opens a session in autocommit mode on one instance, primary or not. */
    public Connection open(ShardAccess shard, As as, Endpoint instance, Session session) throws ShardException {
        try {
            return connect(shard, as, instance, session);
        } catch (SQLException e) {
            throw failure(shard, "connect to " + instance + " as " + login(shard, as), e);
        }
    }

    /**
     * Opens a logical replication session of the mover: simple protocol, and the settings of every other session, because
     * the server prints the streamed values with them.
     */
    public Connection replication(ShardAccess shard, Endpoint instance, Session session) throws ShardException {
        Properties properties = properties(shard, As.MOVER, instance, session);
        PGProperty.REPLICATION.set(properties, "database");
        PGProperty.PREFER_QUERY_MODE.set(properties, "simple");
        PGProperty.ASSUME_MIN_SERVER_VERSION.set(properties, "15");
        try {
            return connect(properties, session);
        } catch (SQLException e) {
            throw failure(shard, "open a replication session on " + instance + " as " + shard.mover(), e);
        }
    }

    /** As {@link #open}, with the driver's own exception, for those who tell kinds of failure apart. */
    Connection connect(ShardAccess shard, As as, Endpoint instance, Session session) throws SQLException {
        return connect(properties(shard, as, instance, session), session);
    }

    private Connection connect(Properties properties, Session session) throws SQLException {
        Connection connection = driver.connect("jdbc:postgresql:///", properties);
        try (Statement statement = connection.createStatement()) {
            statement.execute(SETTINGS.formatted(
                    session.statement().toMillis(), session.lock().toMillis()));
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    private static ShardAccess.Login login(ShardAccess shard, As as) {
        return as == As.OPERATOR ? shard.operator() : shard.mover();
    }

    /** Everything goes by property, so that no name can become part of a URL. */
    private static Properties properties(ShardAccess shard, As as, Endpoint instance, Session session) {
        Properties properties = new Properties();
        ShardAccess.Login login = login(shard, as);
        PGProperty.PG_HOST.set(properties, instance.host());
        PGProperty.PG_PORT.set(properties, instance.port());
        PGProperty.PG_DBNAME.set(properties, shard.database());
        PGProperty.USER.set(properties, login.username());
        PGProperty.PASSWORD.set(properties, login.password());
        PGProperty.APPLICATION_NAME.set(properties, session.applicationName());
        PGProperty.CONNECT_TIMEOUT.set(properties, wholeSeconds(session.connect()));
        PGProperty.LOGIN_TIMEOUT.set(properties, wholeSeconds(session.connect()));
        PGProperty.SOCKET_TIMEOUT.set(properties, wholeSeconds(session.socket()));
        PGProperty.TCP_KEEP_ALIVE.set(properties, true);
        PGProperty.GSS_ENC_MODE.set(properties, "disable");
        trust(shard.tls(), properties);
        return properties;
    }

    private static void trust(ShardAccess.Tls tls, Properties properties) {
        PGProperty.SSL_MODE.set(
                properties,
                switch (tls.mode()) {
                    case DISABLE -> "disable";
                    case REQUIRE -> "require";
                    case VERIFY_CA -> "verify-ca";
                    case VERIFY_FULL -> "verify-full";
                });
        switch (tls.mode()) {
            case DISABLE -> {}
            case REQUIRE -> PGProperty.SSL_FACTORY.set(properties, "org.postgresql.ssl.NonValidatingFactory");
            case VERIFY_CA, VERIFY_FULL -> {
                if (tls.caPem() == null) {
                    PGProperty.SSL_FACTORY.set(properties, "org.postgresql.ssl.DefaultJavaSSLFactory");
                } else {
                    PGProperty.SSL_FACTORY.set(properties, PemTrustFactory.class.getName());
                    PGProperty.SSL_FACTORY_ARG.set(properties, tls.caPem());
                }
            }
        }
    }

    private static int wholeSeconds(Duration duration) {
        return (int) Math.ceilDiv(duration.toMillis(), 1000L);
    }

    /** What was tried, where, and the server's message without its DETAIL, which may hold values of rows. */
    public static ShardException failure(ShardAccess shard, String doing, SQLException e) {
        return SqlFailure.of(e).asException(shard.shard(), doing);
    }
}
