package io.shardwright.dataplane.postgres;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.postgresql.ssl.WrappedFactory;

/**
 * Trusts exactly the certificates of a PEM text that comes from a Secret, without a file. The driver makes it by name with
 * the text as its argument; the host name is checked by the driver afterwards when the mode asks for it.
 */
public final class PemTrustFactory extends WrappedFactory {
    public PemTrustFactory(String pem) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
        trusted.load(null, null);
        int count = 0;
        for (Certificate certificate : CertificateFactory.getInstance("X.509")
                .generateCertificates(new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)))) {
            trusted.setCertificateEntry("ca-" + count++, certificate);
        }
        if (count == 0) {
            throw new GeneralSecurityException("ca.crt holds no certificate");
        }
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, managers.getTrustManagers(), null);
        factory = context.getSocketFactory();
    }
}
