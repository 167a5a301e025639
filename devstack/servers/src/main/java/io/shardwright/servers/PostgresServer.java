package io.shardwright.servers;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * A real PostgreSQL server on a free loopback port, a database cluster with a system identifier of its own ({@link
 * ClusterTemplate}), ready for logical replication. Every login needs its password (SCRAM, the superuser's hashed once, {@link
 * ScramSecret}); the superuser is {@code postgres}.
 *
 * <p>Durability: WAL is not flushed to disk unless {@link Builder#durable()} is asked for; a server that is killed and
 * started again still has every commit, because the kernel has it. Only a power cut would tell the difference.
 */
public final class PostgresServer implements AutoCloseable {
    private static final Duration START_LIMIT = Duration.ofSeconds(60);
    private static final Duration STOP_LIMIT = Duration.ofSeconds(20);
    private static final String SUPERUSER = "postgres";

    private final String name;
    private final Unprivileged unprivileged;
    private final Path binaries;
    private final WorkDirectory directory;
    private final String password;
    private final int port = FreePorts.next();
    private final DataDirectory data;
    private OwnedProcess process;

    private PostgresServer(String name, Unprivileged unprivileged, Path binaries, String password) {
        this.name = name;
        this.unprivileged = unprivileged;
        this.binaries = binaries;
        this.password = password;
        directory = WorkDirectory.create(name);
        data = new DataDirectory(directory, port);
    }

    /** The two ends of the supported range; {@code PG_BIN} replaces both by what is installed. */
    public enum Version {
        OLDEST("15.19.0"),
        NEWEST("18.6.0");

        private final String number;

        Version(String number) {
            this.number = number;
        }

        String number() {
            return number;
        }
    }

    /** How a server is asked to stop. */
    public enum StopMode {
        /** Ends their transactions and shuts down cleanly. */
        FAST("INT"),
        /** Goes at once; the next start recovers from WAL. */
        IMMEDIATE("QUIT");

        private final String signal;

        StopMode(String signal) {
            this.signal = signal;
        }
    }

    /** What differs from the defaults. */
    public static final class Builder {
        private final Map<String, String> settings = new LinkedHashMap<>();
        private Version version = Version.NEWEST;
        private String name = "postgres";
        private CertificateAuthority.Issued certificate;
        private Unprivileged unprivileged = Unprivileged.here();
        private Path cache = unprivileged.cache();

        private Builder() {
            settings.put("wal_level", "logical");
            settings.put("max_wal_senders", "40");
            settings.put("max_replication_slots", "40");
            settings.put("max_connections", "200");
            settings.put("shared_buffers", "64MB");
            settings.put("fsync", "off");
            settings.put("full_page_writes", "off");
            settings.put("log_line_prefix", "%m [%p] %a ");
        }

        public Builder version(Version wanted) {
            version = wanted;
            return this;
        }

        /** A name for logs and directories, as in {@code ds-0}. */
        public Builder name(String wanted) {
            name = wanted;
            return this;
        }

        /** One line of postgresql.conf; the last one of a key counts. */
        public Builder setting(String key, String value) {
            settings.put(key, value);
            return this;
        }

        /** Every commit reaches the disk, as in production. */
        public Builder durable() {
            return setting("fsync", "on").setting("full_page_writes", "on");
        }

        /** Offers TLS with this server certificate; clients without TLS are still let in. */
        public Builder tls(CertificateAuthority.Issued issued) {
            certificate = issued;
            return this;
        }

        /** @param unpacked where this way's binaries are kept */
        Builder unprivileged(Unprivileged way, Path unpacked) {
            unprivileged = way;
            cache = unpacked;
            return this;
        }

        /** Makes a database cluster, starts the server and waits until it answers. */
        public PostgresServer start() {
            Path binaries = PostgresBinaries.directory(version, cache);
            var template = ClusterTemplate.of(binaries, unprivileged, cache, SUPERUSER);
            var server = new PostgresServer(name, unprivileged, binaries, template.password());
            try {
                server.data.initialise(template, settings, certificate);
                server.start();
                return server;
            } catch (RuntimeException | Error e) {
                server.close();
                throw e;
            }
        }
    }

    public static Builder builder() {
        return new Builder();
    }

    /** A running standby that began as a copy of this server, same version, same passwords; see {@link PostgresStandby}. */
    PostgresServer follower(String followerName) {
        var follower = new PostgresServer(followerName, unprivileged, binaries, password);
        try {
            follower.data.copyOf(this, data, followerName);
            follower.start();
            return follower;
        } catch (RuntimeException | Error e) {
            follower.close();
            throw e;
        }
    }

    /** Starts the stopped server again, on the same port and with the same data, and waits until it answers. */
    public void start() {
        process = OwnedProcess.named(name)
                .command(unprivileged.command(List.of(
                        binaries.resolve("postgres").toString(),
                        "-D",
                        data.path().toString())))
                .log(directory.resolve("postgres.log"))
                .endingSignal(StopMode.IMMEDIATE.signal)
                .start();
        Eventually.until(name + " to answer", START_LIMIT, this::answers, process::evidence);
    }

    private boolean answers() {
        if (!process.isAlive()) {
            throw new IllegalStateException(process.evidence());
        }
        try (var connection = connect("postgres")) {
            return connection.isValid(5);
        } catch (SQLException e) {
            return false; // not yet: refused, or "the database system is starting up"
        }
    }

    public String name() {
        return name;
    }

    public String host() {
        return "127.0.0.1";
    }

    public int port() {
        return port;
    }

    public String superuser() {
        return SUPERUSER;
    }

    public String superuserPassword() {
        return password;
    }

    /** A JDBC URL without credentials. */
    public String url(String database) {
        return "jdbc:postgresql://" + host() + ":" + port + "/" + database;
    }

    /** A JDBC URL with the superuser's name and password in it. */
    public String superuserUrl(String database) {
        return url(database) + "?user=" + SUPERUSER + "&password=" + password;
    }

    /** A new connection as the superuser. */
    public Connection connect(String database) throws SQLException {
        return connect(database, SUPERUSER, password);
    }

    /** A new connection as somebody. */
    public Connection connect(String database, String user, String userPassword) throws SQLException {
        var properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("password", userPassword);
        properties.setProperty("loginTimeout", "20"); // a frozen server accepts and never answers
        return DriverManager.getConnection(url(database), properties);
    }

    /**
     * Changes a setting of the running server that needs no restart. When this returns every part of the server obeys it:
     * the process that tells commits whom to wait for takes its settings in before a checkpoint that was asked for later.
     */
    public void set(String key, String value) {
        runScript("postgres", "ALTER SYSTEM SET " + key + " = '" + value.replace("'", "''") + "'");
        runScript("postgres", "SELECT pg_reload_conf()");
        var shown = List.of(List.of(value));
        Eventually.until(
                key + " to be taken in by " + name,
                START_LIMIT,
                () -> query("postgres", "SELECT current_setting('" + key + "')").equals(shown),
                process::evidence);
        runScript("postgres", "CHECKPOINT");
    }

    /** An empty database of that name. */
    public void createDatabase(String database) {
        createDatabaseLike("template1", database);
    }

    /** A copy, but for the rights on the database itself; nobody may be connected to the original. */
    public void createDatabaseLike(String original, String database) {
        runScript("postgres", "CREATE DATABASE " + quoted(database) + " TEMPLATE " + quoted(original));
    }

    private static String quoted(String name) {
        return '"' + name.replace("\"", "\"\"") + '"';
    }

    /** Runs scripts as the superuser, one after the other; each all or nothing, unless it commits in between. */
    public void runScript(String database, String... scripts) {
        try (var connection = connect(database);
                var statement = connection.createStatement()) {
            for (String sql : scripts) {
                statement.execute(sql);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("the script failed on " + name + "/" + database + ": " + e.getMessage(), e);
        }
    }

    /** The rows of a query as the superuser, every value as its text; null stays null. */
    public List<List<String>> query(String database, String sql) {
        try (var connection = connect(database);
                var statement = connection.createStatement();
                var rows = statement.executeQuery(sql)) {
            var all = new ArrayList<List<String>>();
            int columns = rows.getMetaData().getColumnCount();
            while (rows.next()) {
                var row = new ArrayList<String>();
                for (int column = 1; column <= columns; column++) {
                    row.add(rows.getString(column));
                }
                all.add(row);
            }
            return all;
        } catch (SQLException e) {
            throw new IllegalStateException("the query failed on " + name + "/" + database + ": " + e.getMessage(), e);
        }
    }

    /** SIGSTOP to the server and all of its backends: connections stay open and nothing is answered. */
    public void freeze() {
        process.freezeTree();
    }

    public void thaw() {
        process.thawTree();
    }

    public boolean isRunning() {
        return process != null && process.isAlive();
    }

    /** The process of the running server. */
    public Optional<OwnedProcess> process() {
        return Optional.ofNullable(process).filter(OwnedProcess::isAlive);
    }

    /** Stops the server and waits for its end; the data stays for {@link #start()}. */
    public void stop(StopMode mode) {
        process().ifPresent(running -> running.end(mode.signal, STOP_LIMIT));
    }

    /** Stops it as a manager would (FAST) and starts it again. */
    public void restart() {
        stop(StopMode.FAST);
        start();
    }

    /** The server's log, for a person or a failed wait. */
    public Path log() {
        return directory.resolve("postgres.log");
    }

    /** Stops the server at once and removes its data. */
    @Override
    public void close() {
        stop(StopMode.IMMEDIATE);
        directory.close();
    }

    @Override
    public String toString() {
        return name + " at " + host() + ":" + port;
    }
}
