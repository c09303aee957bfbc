package dev.quiver.history.rig;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** Certificates of loopback, made by OpenSSL into a folder as {@code tls.crt} and {@code tls.key}. */
public final class Certificates {

    private final Path folder;

    /** Into that folder. */
    public Certificates(Path folder) {
        this.folder = folder;
    }

    /** The forms in which a key is written. */
    public enum Form {
        /** RSA in PKCS#8. */
        RSA_PKCS8,
        /** RSA in PKCS#1. */
        RSA_PKCS1,
        /** EC in PKCS#8. */
        EC_PKCS8,
        /** EC in SEC 1. */
        EC_SEC1
    }

    /** Makes a key in that form, and a certificate for it with that name. */
    public Certificates make(Form form, String name) {
        boolean rsa = form == Form.RSA_PKCS8 || form == Form.RSA_PKCS1;
        boolean old = form == Form.RSA_PKCS1 || form == Form.EC_SEC1;
        List<String> kind = rsa
                ? List.of("-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048")
                : List.of("-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256");
        openssl(join(List.of("genpkey", "-out", "tls.key"), kind));
        openssl(List.of(
                "req",
                "-x509",
                "-new",
                "-key",
                "tls.key",
                "-subj",
                "/CN=" + name,
                "-days",
                "2",
                "-addext",
                "subjectAltName=IP:127.0.0.1,DNS:localhost",
                "-out",
                "tls.crt"));
        if (old) {
            List<String> write = List.of(rsa ? "rsa" : "ec", "-in", "tls.key", "-out", "old.key");
            openssl(rsa ? join(write, List.of("-traditional")) : write);
            replace("old.key");
        }
        return this;
    }

    private void replace(String from) {
        try {
            String pem = Files.readString(folder.resolve(from));
            Files.writeString(folder.resolve("tls.key"), pem);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<String> join(List<String> first, List<String> second) {
        return java.util.stream.Stream.concat(first.stream(), second.stream()).toList();
    }

    private void openssl(List<String> arguments) {
        try {
            Process process = new ProcessBuilder(join(List.of("openssl"), arguments))
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes());
            if (process.waitFor() != 0) {
                throw new IllegalStateException(arguments + ": " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** A context that trusts the certificate as it is now. */
    public SSLContext trusting() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(
                "it",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(new ByteArrayInputStream(Files.readAllBytes(folder.resolve("tls.crt")))));
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }
}
