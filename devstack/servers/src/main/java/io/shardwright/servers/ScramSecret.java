package io.shardwright.servers;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What PostgreSQL stores of a password (RFC 5803), for {@code PASSWORD '...'}: hashed once, not 4,096 times. Test servers see
 * thousands of logins, and nobody guesses passwords that live for a minute. PostgreSQL 15 has no setting for it.
 */
public final class ScramSecret {
    private static final SecureRandom RANDOM = new SecureRandom();

    private ScramSecret() {}

    public static String of(String password) {
        byte[] salt = new byte[16];
        RANDOM.nextBytes(salt);
        byte[] salted = hmac(password.getBytes(StandardCharsets.UTF_8), salt, new byte[] {0, 0, 0, 1});
        byte[] stored = sha256(hmac(salted, ascii("Client Key")));
        byte[] server = hmac(salted, ascii("Server Key"));
        Base64.Encoder text = Base64.getEncoder();
        return "SCRAM-SHA-256$1:" + text.encodeToString(salt) + "$" + text.encodeToString(stored) + ":"
                + text.encodeToString(server);
    }

    private static byte[] ascii(String words) {
        return words.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] hmac(byte[] key, byte[]... parts) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has HmacSHA256", e);
        }
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
