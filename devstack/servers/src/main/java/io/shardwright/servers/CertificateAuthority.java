package io.shardwright.servers;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x500.X500NameBuilder;
import org.bouncycastle.asn1.x500.style.BCStyle;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * A certificate authority of its own for one run: issues server and client certificates as PEM. Keys are RSA, because the
 * Kubernetes client of the operator does not read other client keys.
 */
public final class CertificateAuthority {
    private static final Duration VALID = Duration.ofDays(2);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final KeyPair keys;
    private final X500Name name;
    private final X509Certificate certificate;

    private CertificateAuthority(String commonName) {
        keys = newKeys();
        name = new X500NameBuilder(BCStyle.INSTANCE)
                .addRDN(BCStyle.CN, commonName)
                .build();
        certificate =
                sign(name, keys, Purpose.AUTHORITY, List.of(), Instant.now().plus(VALID));
    }

    /** A certificate and its private key, both PEM; the key is PKCS#8. */
    public record Issued(String certificatePem, String keyPem) {}

    private enum Purpose {
        AUTHORITY,
        SERVER,
        CLIENT
    }

    public static CertificateAuthority create(String commonName) {
        return new CertificateAuthority(commonName);
    }

    /** The authority's own certificate: what a peer trusts. */
    public String certificatePem() {
        return pem(certificate);
    }

    /** A server certificate for these DNS names and IP addresses; the first one is also the common name. */
    public Issued server(List<String> dnsNames, List<String> addresses) {
        return server(dnsNames, addresses, Instant.now().plus(VALID));
    }

    /** A server certificate that ends at the given time, which may have passed already. */
    public Issued server(List<String> dnsNames, List<String> addresses, Instant notAfter) {
        var alternatives = new ArrayList<GeneralName>();
        dnsNames.forEach(dns -> alternatives.add(new GeneralName(GeneralName.dNSName, dns)));
        addresses.forEach(address -> alternatives.add(new GeneralName(GeneralName.iPAddress, address)));
        var first = dnsNames.isEmpty() ? addresses.get(0) : dnsNames.get(0);
        var subject = new X500NameBuilder(BCStyle.INSTANCE).addRDN(BCStyle.CN, first);
        return issue(subject.build(), Purpose.SERVER, alternatives, notAfter);
    }

    /** A server certificate for loopback, whatever name it is called by. */
    public Issued loopbackServer() {
        return server(List.of("localhost"), List.of("127.0.0.1", "::1"));
    }

    /** A client certificate; Kubernetes takes the common name for the user and each organisation for a group. */
    public Issued client(String commonName, List<String> organisations) {
        var subject = new X500NameBuilder(BCStyle.INSTANCE);
        organisations.forEach(organisation -> subject.addRDN(BCStyle.O, organisation));
        subject.addRDN(BCStyle.CN, commonName);
        return issue(subject.build(), Purpose.CLIENT, List.of(), Instant.now().plus(VALID));
    }

    /** A new RSA key pair as PEM, PKCS#8 and SubjectPublicKeyInfo: what signs ServiceAccount tokens. */
    static KeyPairPem newKeyPair() {
        var pair = newKeys();
        return new KeyPairPem(privatePem(pair), pem(pair.getPublic()));
    }

    record KeyPairPem(String privatePem, String publicPem) {}

    private Issued issue(X500Name subject, Purpose purpose, List<GeneralName> alternatives, Instant notAfter) {
        var pair = newKeys();
        return new Issued(pem(sign(subject, pair, purpose, alternatives, notAfter)), privatePem(pair));
    }

    private X509Certificate sign(
            X500Name subject, KeyPair pair, Purpose purpose, List<GeneralName> alternatives, Instant notAfter) {
        var begin = Instant.now().minus(VALID);
        try {
            var builder = new JcaX509v3CertificateBuilder(
                    name,
                    new BigInteger(120, RANDOM),
                    Date.from(begin),
                    Date.from(notAfter),
                    subject,
                    pair.getPublic());
            builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(purpose == Purpose.AUTHORITY));
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(usages(purpose)));
            if (purpose != Purpose.AUTHORITY) {
                var use = purpose == Purpose.SERVER ? KeyPurposeId.id_kp_serverAuth : KeyPurposeId.id_kp_clientAuth;
                builder.addExtension(Extension.extendedKeyUsage, false, new ExtendedKeyUsage(use));
            }
            if (!alternatives.isEmpty()) {
                var names = new GeneralNames(alternatives.toArray(GeneralName[]::new));
                builder.addExtension(Extension.subjectAlternativeName, false, names);
            }
            var signer = new JcaContentSignerBuilder("SHA256withRSA").build(keys.getPrivate());
            return new JcaX509CertificateConverter().getCertificate(builder.build(signer));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException | OperatorCreationException e) {
            throw new IllegalStateException("this JDK cannot sign with RSA", e);
        }
    }

    private static int usages(Purpose purpose) {
        return purpose == Purpose.AUTHORITY
                ? KeyUsage.keyCertSign | KeyUsage.cRLSign
                : KeyUsage.digitalSignature | KeyUsage.keyEncipherment;
    }

    private static KeyPair newKeys() {
        try {
            var generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            return generator.generateKeyPair();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("this JDK has no RSA", e);
        }
    }

    private static String privatePem(KeyPair pair) {
        try {
            return pem(new JcaPKCS8Generator(pair.getPrivate(), null));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String pem(Object value) {
        var text = new StringWriter();
        try (var writer = new JcaPEMWriter(text)) {
            writer.writeObject(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return text.toString();
    }
}
