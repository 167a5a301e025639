package io.shardwright.dataplane.postgres.fence;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Whether the functions of the fence are the ones that were installed: text, rights, settings and owner of each. */
final class FenceCode {
    private static final String FINGERPRINT = """
            SELECT md5(coalesce(string_agg(concat_ws('|', p.proname, pg_get_function_identity_arguments(p.oid), p.prosrc,
              pg_get_function_sqlbody(p.oid), p.prosecdef, p.provolatile, p.proconfig, r.rolname), E'\\n'
              ORDER BY p.proname COLLATE "C", pg_get_function_identity_arguments(p.oid) COLLATE "C"), ''))
            FROM pg_proc p
            JOIN pg_namespace n ON n.oid = p.pronamespace
            JOIN pg_roles r ON r.oid = p.proowner
            WHERE n.nspname = 'shardwright'""";

    private FenceCode() {}

    static String fingerprint(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(FINGERPRINT)) {
            row.next();
            return row.getString(1);
        }
    }
}
