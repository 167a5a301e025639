package io.shardwright.dataplane.postgres.fence;

import static io.shardwright.dataplane.postgres.ShopDatabase.keyIn;
import static org.assertj.core.api.Assertions.assertThat;

import io.shardwright.dataplane.postgres.SharedServers;
import io.shardwright.dataplane.postgres.ShopDatabase;
import io.shardwright.servers.PostgresServer.Version;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.BeforeParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code enter} in front of a statement costs no round trip, and both are one transaction. */
@ParameterizedClass(name = "PostgreSQL {0}")
@EnumSource(Version.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EnterRoundTripIT {
    private static final long KEY = keyIn(17);

    @Parameter
    Version version;

    private ShopDatabase shop;

    @BeforeParameterizedClassInvocation
    void openShop(Version version) {
        shop = ShopDatabase.fenced(SharedServers.of(version), "round_trip");
        shop.plant("INSERT INTO orders VALUES (%d, 1, 'old')".formatted(KEY));
    }

    /** Counts how often the driver asks and then waits for an answer. The driver makes it by name. */
    public static final class CountingSockets extends SocketFactory {
        static final AtomicInteger ROUND_TRIPS = new AtomicInteger();

        @Override
        public Socket createSocket() {
            return new CountingSocket();
        }

        @Override
        public Socket createSocket(String host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(String host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port) {
            throw new UnsupportedOperationException();
        }

        @Override
        public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
            throw new UnsupportedOperationException();
        }
    }

    private static final class CountingSocket extends Socket {
        private boolean asked;

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(byte[] bytes, int from, int length) throws IOException {
                    asked = true;
                    out.write(bytes, from, length);
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read(byte[] bytes, int from, int length) throws IOException {
                    if (asked) {
                        asked = false;
                        CountingSockets.ROUND_TRIPS.incrementAndGet();
                    }
                    return super.read(bytes, from, length);
                }
            };
        }
    }

    private Connection counted() throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", "shop_app");
        properties.setProperty("password", ShopDatabase.APP_PASSWORD);
        properties.setProperty("socketFactory", CountingSockets.class.getName());
        return DriverManager.getConnection(shop.server().url(shop.name()), properties);
    }

    @Test
    void enterAndItsStatementTravelTogetherAndAreOneTransaction() throws SQLException {
        try (Connection app = counted();
                PreparedStatement write = app.prepareStatement("""
                        SELECT shardwright.enter(?, ?, NULL);
                        UPDATE orders SET note = (SELECT count(*) FROM pg_locks
                            WHERE pid = pg_backend_pid() AND locktype = 'advisory' AND classid = 7001)::text
                          WHERE tenant_id = ?""")) {
            write.setInt(1, 17);
            write.setString(2, Long.toString(KEY));
            write.setLong(3, KEY);
            int before = CountingSockets.ROUND_TRIPS.get();

            boolean first = write.execute();

            assertThat(CountingSockets.ROUND_TRIPS.get() - before).isEqualTo(1);
            assertThat(first).as("the result of enter comes first").isTrue();
            try (ResultSet epoch = write.getResultSet()) {
                assertThat(epoch.next()).isTrue();
                assertThat(epoch.getLong(1)).isEqualTo(1);
            }
            assertThat(write.getMoreResults()).isFalse();
            assertThat(write.getUpdateCount()).isEqualTo(1);
            assertThat(shop.value("SELECT note FROM orders"))
                    .as("locks held while the statement ran")
                    .isEqualTo("1");
        }
    }

    @Test
    void sentOneAfterTheOtherTheyCostTwo() throws SQLException {
        try (Connection app = counted();
                PreparedStatement enter = app.prepareStatement("SELECT shardwright.enter(17, ?, NULL)");
                PreparedStatement write = app.prepareStatement("UPDATE orders SET note = 'x' WHERE tenant_id = ?")) {
            enter.setString(1, Long.toString(KEY));
            write.setLong(1, KEY);
            int before = CountingSockets.ROUND_TRIPS.get();

            enter.execute();
            write.execute();

            assertThat(CountingSockets.ROUND_TRIPS.get() - before).isEqualTo(2);
        }
    }
}
