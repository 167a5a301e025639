package io.shardwright.routing;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Identifies a table by its document: an acknowledgement of a table that nobody published (another cluster's, an older
 * incarnation's) never counts.
 */
public final class TableDigest {
    private TableDigest() {}

    /** SHA-256 of the document's UTF-8 bytes as received, lower-case hexadecimal. */
    public static String of(String document) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(document.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
