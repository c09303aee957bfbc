package dev.quiver.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.function.Supplier;

import org.junit.jupiter.api.Test;

class HttpEndpointIT {

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);

    /** Only ends a test that hangs. */
    private static final int PATIENCE_MILLIS = 60_000;

    private static final String OK = "HTTP/1.1 200";

    /** Far more than may wait at a time. */
    private static final int HELD = 2000;

    private static final int NEW_ONES = 200;
    private static final int ROUNDS = 30;

    /** Bytes, more than the buffers of two sockets take. */
    private static final int LARGE = 16 << 20;

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
    void anAnswerWaitsForNoAcknowledgement() throws Exception {
        try (HttpEndpoint endpoint = HttpEndpoint.listen(ANY_PORT, Map.of("/live", () -> Answer.yes("live")))) {
            assertThat(endpoint.address().getPort()).isPositive();
            assertThat(System.getProperty("sun.net.httpserver.nodelay")).isEqualTo("true");
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
    void givesUpARequestThatDoesNotCome() throws Exception {
        try (HttpEndpoint endpoint = HttpEndpoint.listen(ANY_PORT, Map.of("/live", () -> Answer.yes("live")));
                Socket half = connect(endpoint);
                Socket slow = connect(endpoint)) {
            assertThat(isClosed(half, "GET /live HTTP/1.1\r\nHost: x\r\n"))
                    .as("half a header")
                    .isTrue();
            assertThat(isClosed(slow, "GET /li")).as("half a line").isTrue();
        }
    }

    /** Sockets that say nothing, and others that say half: whoever holds them, and makes new ones, keeps no probe out. */
    @Test
    void answersAProbeWhileOthersHoldTheirConnections() throws Exception {
        Deque<Socket> held = new ArrayDeque<>();
        try (HttpEndpoint endpoint = HttpEndpoint.listen(ANY_PORT, Map.of("/live", () -> Answer.yes("live")))) {
            for (int round = 0; round < ROUNDS; round++) {
                for (int i = 0; i < NEW_ONES; i++) {
                    held.add(connect(endpoint));
                    if (i % 2 == 0) {
                        send(held.getLast(), "GET /live HTTP/1.1\r\nHost: x\r\n");
                    }
                    if (held.size() > HELD) {
                        held.remove().close();
                    }
                }
                assertThat(probe(endpoint)).as("probe %s", round).startsWith(OK);
            }
        } finally {
            for (Socket socket : held) {
                socket.close();
            }
        }
    }

    @Test
    void anAnswerThatTakesItsTimeIsNotOneTooMany() throws Exception {
        Semaphore asked = new Semaphore(0);
        List<Semaphore> answers = List.of(new Semaphore(0), new Semaphore(0), new Semaphore(0));
        Map<String, Supplier<Answer>> paths = new HashMap<>(Map.of("/live", () -> Answer.yes("live")));
        for (int i = 0; i < answers.size(); i++) {
            Semaphore answer = answers.get(i);
            paths.put("/slow/" + i, () -> {
                asked.release();
                answer.acquireUninterruptibly();
                return Answer.yes("slow");
            });
        }
        List<Socket> held = new ArrayList<>();
        try (HttpEndpoint endpoint = HttpEndpoint.listen(ANY_PORT, paths, 1)) {
            for (int i = 0; i < answers.size(); i++) {
                held.add(connect(endpoint));
                send(held.getLast(), "GET /slow/" + i + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
                asked.acquire();
                assertThat(probe(endpoint)).startsWith(OK);
            }
            for (int i = 0; i < answers.size(); i++) {
                answers.get(i).release();
                assertThat(new String(held.get(i).getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .endsWith("slow\n");
            }
        } finally {
            answers.forEach(Semaphore::release);
            for (Socket socket : held) {
                socket.close();
            }
        }
    }

    @Test
    void anAnswerThatIsNotReadIsGivenUpForANewerRequest() throws Exception {
        String large = "x".repeat(LARGE);
        try (HttpEndpoint endpoint = HttpEndpoint.listen(
                        ANY_PORT, Map.of("/large", () -> Answer.yes(large), "/live", () -> Answer.yes("live")), 1);
                Socket lazy = connect(endpoint)) {
            send(lazy, "GET /large HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            assertThat(new String(lazy.getInputStream().readNBytes(OK.length()), StandardCharsets.US_ASCII))
                    .isEqualTo(OK);
            assertThat(probe(endpoint)).startsWith(OK);
            assertThat(restOf(lazy)).isLessThan(LARGE);
        }
    }

    @Test
    void refusesAHeadThatIsTooLong() throws Exception {
        try (HttpEndpoint endpoint = HttpEndpoint.listen(ANY_PORT, Map.of("/live", () -> Answer.yes("live")));
                Socket greedy = connect(endpoint)) {
            assertThat(isClosed(greedy, "GET /live HTTP/1.1\r\nX: " + "x".repeat(64 << 10) + "\r\n\r\n"))
                    .isTrue();
        }
    }

    /** As kubelet asks. */
    private static String probe(HttpEndpoint endpoint) throws IOException {
        try (Socket socket = connect(endpoint)) {
            send(socket, "GET /live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
    }

    /** Bytes until the other side closes it, with or without a reset. */
    private static long restOf(Socket socket) throws IOException {
        long length = 0;
        try {
            int read = 0;
            byte[] buffer = new byte[1 << 16];
            while (read >= 0) {
                length += read;
                read = socket.getInputStream().read(buffer);
            }
        } catch (SocketException reset) {
            return length;
        }
        return length;
    }

    private static Socket connect(HttpEndpoint endpoint) throws IOException {
        Socket socket = new Socket();
        socket.setReceiveBufferSize(4096);
        socket.connect(endpoint.address());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Whether the other side closes it after this text, with or without a reset, and before it answers. */
    private static boolean isClosed(Socket socket, String text) throws IOException {
        try {
            send(socket, text);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException e) {
            return false;
        } catch (SocketException reset) {
            return true;
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
