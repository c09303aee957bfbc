package dev.quiver.history.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.quiver.history.rig.Certificates;
import dev.quiver.history.rig.Trusting;
import dev.quiver.history.store.SqliteDatabase;
import dev.quiver.history.store.SqliteSettings;
import dev.quiver.history.tls.ServerCertificate;

/** The port for programs: TLS, any Host, the API and no page. */
class SecuredIT {

    @TempDir
    private Path folder;

    @Test
    void answersTheApiOverTlsAndShowsNoPage() throws Exception {
        Certificates files = new Certificates(folder).make(Certificates.Form.RSA_PKCS1, "history");
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        About about = new About("SQLite", Optional.empty(), Optional.empty(), Optional.empty(), true);
        try (SqliteDatabase database = SqliteDatabase.open(SqliteSettings.of(folder.resolve("record.db")));
                ApiServer server = ApiServer.listen(
                        loopback,
                        Optional.of(new ApiServer.Secured(new InetSocketAddress(0), ServerCertificate.of(folder))),
                        database,
                        new Trusting(),
                        Trusting.NO_LIVE,
                        () -> about);
                HttpClient client =
                        HttpClient.newBuilder().sslContext(files.trusting()).build()) {
            int port = server.securedAddress().orElseThrow().getPort();
            assertThat(get(client, port, "/v1/about", "Quiver-Token").body()).contains("\"emptyDir\":true");
            assertThat(get(client, port, "/v1/about", "Other").statusCode()).isEqualTo(401);
            assertThat(get(client, port, "/", "Quiver-Token").statusCode()).isEqualTo(404);
            HttpResponse<String> proxied = get(client, port, "/", "X-Forwarded-Uri");
            assertThat(proxied.statusCode()).isEqualTo(200);
            assertThat(proxied.headers().firstValue("Content-Type")).contains("text/plain; charset=utf-8");
            assertThat(proxied.body()).contains("port-forward");
        }
    }

    private static HttpResponse<String> get(HttpClient client, int port, String path, String header) throws Exception {
        return client.send(
                HttpRequest.newBuilder(URI.create("https://localhost:" + port + path))
                        .header(header, Trusting.TOKEN)
                        .build(),
                HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void plainHttpStaysOnLoopback() {
        assertThatThrownBy(() -> ApiServer.listen(
                        new InetSocketAddress(InetAddress.getByName("0.0.0.0"), 0),
                        Optional.empty(),
                        null,
                        new Trusting(),
                        Trusting.NO_LIVE,
                        () -> null))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
