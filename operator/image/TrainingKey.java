import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/**
 * Writes tls.key and tls.crt of a fresh key, as a Secret of Kubernetes has them, and tls.p12 for the stand-in for the API
 * server. The image build has no openssl. They are of no use after the training run.
 *
 * <p>Argument: folder that gets them.
 */
class TrainingKey {
    private static final String PASSWORD = "training";

    public static void main(String[] args) throws IOException, GeneralSecurityException, InterruptedException {
        Path folder = Path.of(args[0]);
        Path store = folder.resolve("tls.p12");
        int status = new ProcessBuilder("keytool", "-genkeypair", "-alias", "tls", "-keyalg", "RSA", "-dname",
                        "CN=quiver-history", "-ext", "SAN=ip:127.0.0.1", "-validity", "2", "-keystore", store.toString(), "-storepass", PASSWORD)
                .inheritIO()
                .start()
                .waitFor();
        if (status != 0) {
            throw new IOException("keytool ended with " + status);
        }
        KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
        write(folder.resolve("tls.key"), "PRIVATE KEY", keys.getKey("tls", PASSWORD.toCharArray()).getEncoded());
        write(folder.resolve("tls.crt"), "CERTIFICATE", keys.getCertificate("tls").getEncoded());
    }

    private static void write(Path file, String kind, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(bytes);
        Files.writeString(file, "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }
}
