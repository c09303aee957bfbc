package dev.quiver.supervisor.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

class HttpEndpointIT {

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    private static HttpResponse<String> get(HttpClient client, HttpEndpoint endpoint, String path)
            throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + endpoint.address().getPort() + path);
        return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void answersEachPathAndNoOther() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient();
                HttpEndpoint endpoint = HttpEndpoint.listen(
                        ANY_PORT,
                        Map.of("/ready", () -> Answer.no("session: none"), "/live", () -> Answer.yes("live")))) {
            assertThat(get(client, endpoint, "/live").body()).isEqualTo("live\n");
            assertThat(get(client, endpoint, "/ready").statusCode()).isEqualTo(503);
            assertThat(get(client, endpoint, "/ready/x").statusCode()).isEqualTo(404);
            assertThat(get(client, endpoint, "/nothing").statusCode()).isEqualTo(404);
        }
    }

    @Test
    void answersProbesWhileADrainWaits() throws Exception {
        CountDownLatch idle = new CountDownLatch(1);
        try (HttpClient client = HttpClient.newHttpClient();
                HttpEndpoint endpoint = HttpEndpoint.listen(
                        ANY_PORT,
                        Map.of(
                                "/drain",
                                () -> {
                                    try {
                                        idle.await();
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                    return Answer.yes("drained");
                                },
                                "/live",
                                () -> Answer.yes("live")))) {
            URI drain = URI.create("http://127.0.0.1:" + endpoint.address().getPort() + "/drain");
            var waiting = client.sendAsync(HttpRequest.newBuilder(drain).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(get(client, endpoint, "/live").statusCode()).isEqualTo(200);
            assertThat(waiting).isNotDone();
            idle.countDown();
            assertThat(waiting.join().body()).isEqualTo("drained\n");
        }
    }

    @Test
    void saysAnErrorInsteadOfHanging() throws Exception {
        try (HttpClient client = HttpClient.newHttpClient();
                HttpEndpoint endpoint = HttpEndpoint.listen(ANY_PORT, Map.of("/metrics", () -> {
                    throw new IllegalStateException("broken");
                }))) {
            assertThat(get(client, endpoint, "/metrics").statusCode()).isEqualTo(500);
        }
    }
}
