package dev.quiver.history.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.quiver.history.rig.Certificates;

/** Keys and certificates as OpenSSL writes them. */
class ServerCertificateIT {

    @TempDir
    private Path folder;

    private final AtomicLong nanos = new AtomicLong();

    private static String subject(ServerCertificate certificate, String type) {
        String alias = certificate.chooseEngineServerAlias(type, null, null);
        assertThat(certificate.getPrivateKey(alias)).isNotNull();
        return certificate
                .getCertificateChain(alias)[0]
                .getSubjectX500Principal()
                .getName();
    }

    @ParameterizedTest
    @EnumSource
    void readsEachFormOfAKey(Certificates.Form form) throws Exception {
        new Certificates(folder).make(form, "one");
        ServerCertificate certificate = ServerCertificate.of(folder);
        assertThat(subject(certificate, form.name().startsWith("RSA") ? "RSA" : "EC"))
                .isEqualTo("CN=one");
        assertThat(certificate.chooseEngineServerAlias("DSA", null, null)).isNull();
    }

    @Test
    void aNewPairCountsAndABrokenOneLeavesTheOneBefore() throws Exception {
        Certificates files = new Certificates(folder).make(Certificates.Form.RSA_PKCS1, "one");
        ServerCertificate certificate = ServerCertificate.of(folder, nanos::get);
        files.make(Certificates.Form.EC_PKCS8, "two");
        assertThat(subject(certificate, "RSA")).isEqualTo("CN=one");
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(subject(certificate, "EC")).isEqualTo("CN=two");
        Files.writeString(folder.resolve("tls.key"), "no key");
        nanos.addAndGet(Duration.ofSeconds(10).toNanos());
        assertThat(subject(certificate, "EC")).isEqualTo("CN=two");
    }

    @Test
    void aFileThatMakesNoSenseIsNamed() throws Exception {
        assertThatThrownBy(() -> ServerCertificate.of(folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("tls.crt");
        new Certificates(folder).make(Certificates.Form.RSA_PKCS8, "one");
        String key = Files.readString(folder.resolve("tls.key"));
        for (String damaged : new String[] {
            "",
            key.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY"),
            key.replace("M", "A"),
            "-----BEGIN EC PRIVATE KEY-----\nMAA=\n-----END EC PRIVATE KEY-----\n"
        }) {
            Files.writeString(folder.resolve("tls.key"), damaged);
            assertThatThrownBy(() -> ServerCertificate.of(folder))
                    .isInstanceOf(GeneralSecurityException.class)
                    .hasMessageContaining("tls.key");
        }
        Files.writeString(folder.resolve("tls.key"), key);
        Files.writeString(folder.resolve("tls.crt"), "no certificate");
        assertThatThrownBy(() -> ServerCertificate.of(folder))
                .isInstanceOf(GeneralSecurityException.class)
                .hasMessageContaining("tls.crt");
    }
}
