package io.shardwright.servers;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.spec.AlgorithmParameterSpec;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Prints what a record of TLS costs by either cipher. Run it by hand, with {@code -XX:TieredStopAtLevel=1} and without: the ratio of the
 * two ciphers is what {@link BriefJvm} is about.
 */
final class CipherBench {
    private static final int[] BYTES = {150, 4_000};
    private static final int ROUNDS = 4_000;

    private CipherBench() {}

    public static void main(String[] arguments) throws GeneralSecurityException {
        for (int bytes : BYTES) {
            double aes = micros("AES/GCM/NoPadding", "AES", bytes);
            double chacha = micros("ChaCha20-Poly1305", "ChaCha20", bytes);
            System.out.printf(
                    "%d bytes: AES-GCM %.1f us, ChaCha20-Poly1305 %.1f us, ratio %.1f%n",
                    bytes, aes, chacha, aes / chacha);
        }
    }

    /** Of a round, after as many that warm it up. */
    private static double micros(String cipher, String key, int bytes) throws GeneralSecurityException {
        run(cipher, key, bytes, 0);
        long began = System.nanoTime();
        run(cipher, key, bytes, ROUNDS);
        return (System.nanoTime() - began) / 1e3 / ROUNDS;
    }

    private static void run(String name, String key, int bytes, int from) throws GeneralSecurityException {
        Cipher cipher = Cipher.getInstance(name);
        SecretKeySpec secret = new SecretKeySpec(new byte[32], key);
        for (int round = from; round < from + ROUNDS; round++) {
            byte[] nonce = ByteBuffer.allocate(12).putInt(round).array();
            AlgorithmParameterSpec parameters =
                    key.equals("AES") ? new GCMParameterSpec(128, nonce) : new IvParameterSpec(nonce);
            cipher.init(Cipher.ENCRYPT_MODE, secret, parameters);
            cipher.doFinal(new byte[bytes]);
        }
    }
}
