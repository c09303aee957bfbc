package dev.quiver.history.tls;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The certificate of a server in a folder with {@code tls.crt} and {@code tls.key}. Handshakes look at the files each
 * ten seconds at most; a pair that cannot be read leaves the one before in use. Thread-safe.
 */
public final class ServerCertificate extends X509ExtendedKeyManager {

    private static final Logger LOG = LoggerFactory.getLogger(ServerCertificate.class);
    private static final Duration LOOK = Duration.ofSeconds(10);

    private final Path folder;
    private final LongSupplier nanos;
    private volatile Pair pair;
    private byte[] seen;
    private long lookedAt;

    /** The pair in use; its name differs for each pair, since a session asks for key and chain one after the other. */
    private record Pair(String name, PrivateKey key, X509Certificate[] chain) {}

    private ServerCertificate(Path folder, LongSupplier nanos) throws IOException, GeneralSecurityException {
        this.folder = folder;
        this.nanos = nanos;
        seen = bytes();
        pair = read();
        lookedAt = nanos.getAsLong();
    }

    /**
     * The certificate of a folder.
     *
     * @throws IOException for a file that is missing
     * @throws GeneralSecurityException for one that makes no sense; the message names it
     */
    public static ServerCertificate of(Path folder) throws IOException, GeneralSecurityException {
        return new ServerCertificate(folder, System::nanoTime);
    }

    static ServerCertificate of(Path folder, LongSupplier nanos) throws IOException, GeneralSecurityException {
        return new ServerCertificate(folder, nanos);
    }

    /** A context of TLS that shows it. */
    public SSLContext context() throws GeneralSecurityException {
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(new KeyManager[] {this}, null, null);
        return context;
    }

    private byte[] bytes() throws IOException {
        byte[] chain = Files.readAllBytes(folder.resolve("tls.crt"));
        byte[] key = Files.readAllBytes(folder.resolve("tls.key"));
        byte[] both = Arrays.copyOf(chain, chain.length + key.length);
        System.arraycopy(key, 0, both, chain.length, key.length);
        return both;
    }

    private Pair read() throws IOException, GeneralSecurityException {
        PrivateKey key = PemFiles.key(folder.resolve("tls.key"));
        X509Certificate[] chain = PemFiles.chain(folder.resolve("tls.crt"));
        String algorithm = chain[0].getPublicKey().getAlgorithm();
        if (!key.getAlgorithm().equals(algorithm)) {
            throw new GeneralSecurityException(folder.resolve("tls.key") + " is of " + key.getAlgorithm()
                    + ", and the certificate beside it of " + algorithm);
        }
        return new Pair(Long.toString(nanos.getAsLong()), key, chain);
    }

    private synchronized Pair current() {
        if (nanos.getAsLong() - lookedAt >= LOOK.toNanos()) {
            lookedAt = nanos.getAsLong();
            try {
                byte[] now = bytes();
                if (!Arrays.equals(now, seen)) {
                    pair = read();
                    seen = now;
                    LOG.info("the certificate in {} is a new one", folder);
                }
            } catch (IOException | GeneralSecurityException e) {
                LOG.warn("the certificate before stays in use: {}", e.getMessage());
            }
        }
        return pair;
    }

    @Override
    public String chooseEngineServerAlias(String keyType, Principal[] issuers, SSLEngine engine) {
        Pair now = current();
        return fits(now, keyType) ? now.name : null;
    }

    @Override
    public String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
        return chooseEngineServerAlias(keyType, issuers, null);
    }

    private static boolean fits(Pair pair, String keyType) {
        String algorithm = pair.key.getAlgorithm();
        return keyType.equals(algorithm) || keyType.startsWith(algorithm + "_") || keyType.endsWith("_" + algorithm);
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
        Pair now = pair;
        return now.name.equals(alias) ? now.chain.clone() : null;
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
        Pair now = pair;
        return now.name.equals(alias) ? now.key : null;
    }

    @Override
    public String[] getServerAliases(String keyType, Principal[] issuers) {
        return List.of(pair.name).toArray(String[]::new);
    }

    @Override
    public String[] getClientAliases(String keyType, Principal[] issuers) {
        return new String[0];
    }

    @Override
    public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
        return null;
    }
}
