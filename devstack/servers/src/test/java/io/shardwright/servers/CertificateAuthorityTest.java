package io.shardwright.servers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificateAuthorityTest {
    private final CertificateAuthority authority = CertificateAuthority.create("test");

    @Test
    void issuesServerCertificatesThatItsOwnKeyHasSigned() throws Exception {
        var issued = read(authority.loopbackServer().certificatePem());

        issued.verify(read(authority.certificatePem()).getPublicKey());
        assertThat(issued.getSubjectAlternativeNames())
                .anySatisfy(name -> assertThat(name.get(1)).isEqualTo("127.0.0.1"));
        assertThatThrownBy(() ->
                        issued.verify(read(CertificateAuthority.create("other").certificatePem())
                                .getPublicKey()))
                .isInstanceOf(java.security.SignatureException.class);
    }

    @Test
    void putsUserAndGroupsWhereKubernetesLooksForThem() throws Exception {
        var issued = read(authority.client("ada", List.of("dba", "approvers")).certificatePem());

        assertThat(issued.getSubjectX500Principal().getName()).contains("CN=ada", "O=dba", "O=approvers");
        assertThat(issued.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.2");
    }

    @Test
    void issuesCertificatesThatHaveExpiredForThoseWhoMustRefuseThem() throws Exception {
        var issued = read(authority
                .server(List.of("localhost"), List.of(), Instant.now().minus(Duration.ofHours(1)))
                .certificatePem());

        assertThatThrownBy(issued::checkValidity).isInstanceOf(CertificateExpiredException.class);
    }

    @Test
    void handsKeysOutAsPkcs8() {
        assertThat(authority.loopbackServer().keyPem()).startsWith("-----BEGIN PRIVATE KEY-----");
    }

    private static X509Certificate read(String pem) throws CertificateException {
        var bytes = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
        return (X509Certificate) CertificateFactory.getInstance("X.509").generateCertificate(bytes);
    }
}
