package dev.quiver.controller.pool.probe;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.locks.LockSupport;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.controller.pool.probe.ProbeHosts.Target;
import dev.quiver.controller.rig.AnsweringHistory;
import dev.quiver.crds.v1alpha1.HttpGetProbe;

/** One request to a real socket, whoever answers there. */
class HttpCheckIT {

    private static final Target HERE = new Target("127.0.0.1", true);
    private static final Duration SECOND = Duration.ofSeconds(1);
    /** For servers that answer, on a busy machine. */
    private static final Duration PATIENT = Duration.ofSeconds(10);

    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private final HttpCheck check = new HttpCheck();
    private ServerSocket server;

    /** How a server treats a connection. */
    private interface Answer {
        void to(Socket caller) throws IOException;
    }

    private int serve(Answer answer) throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    try (Socket caller = server.accept()) {
                        answer.to(caller);
                    }
                }
            } catch (IOException ended) {
                // the test is over
            }
        });
        return server.getLocalPort();
    }

    private int serve(String text) throws IOException {
        return serve(caller -> {
            byte[] request = new byte[4096];
            requests.add(new String(request, 0, caller.getInputStream().read(request), StandardCharsets.US_ASCII));
            caller.getOutputStream().write(text.getBytes(StandardCharsets.UTF_8));
        });
    }

    @AfterEach
    void stop() throws IOException {
        if (server != null) {
            server.close();
        }
    }

    private Optional<String> ask(int port, HttpGetProbe.Scheme scheme, Duration timeout) {
        return check.failure(new HttpGetProbe("127.0.0.1", port, "/health?deep=1", scheme), HERE, timeout);
    }

    private Optional<String> ask(int port) {
        return ask(port, HttpGetProbe.Scheme.HTTP, PATIENT);
    }

    @ParameterizedTest
    @CsvSource({
        "200 OK,",
        "204,",
        "302 Found,",
        "404 Not Found,answered 404",
        "503 Ångström,answered 503",
        "199,answered 199"
    })
    void answersFrom200To399AreSuccesses(String status, String failure) throws Exception {
        int port = serve("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n");
        assertThat(ask(port)).isEqualTo(Optional.ofNullable(failure));
        assertThat(requests.take())
                .startsWith("GET /health?deep=1 HTTP/1.1\r\nHost: 127.0.0.1:" + port + "\r\n")
                .contains("Connection: close\r\n")
                .endsWith("\r\n\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-ERR unknown command 'GET'\r\n", "HTTP/1.1 2000 OK\r\n", "HTTP/1.1 abc\r\n", "\r\n", ""})
    void whatIsNotHttpIsAFailure(String text) throws IOException {
        assertThat(ask(serve(text))).contains("the answer is not HTTP/1.1");
    }

    @Test
    void aLineWithoutEndIsReadToABound() throws IOException {
        assertThat(ask(serve("HTTP/1.1 200 " + "x".repeat(1_000_000)))).isEmpty();
    }

    @Test
    void aServerThatSaysNothingHasSoMuchTime() throws IOException {
        int port = serve(caller -> caller.getInputStream().readAllBytes());
        assertThat(ask(port, HttpGetProbe.Scheme.HTTP, SECOND)).contains("no answer within 1 s");
    }

    @Test
    void aServerThatSendsAByteAtATimeHasNoMore() throws IOException {
        int port = serve(caller -> {
            for (int i = 0; i < 100; i++) {
                caller.getOutputStream().write('H');
                LockSupport.parkNanos(100_000_000);
            }
        });
        long begun = System.nanoTime();
        assertThat(ask(port, HttpGetProbe.Scheme.HTTP, SECOND)).contains("no answer within 1 s");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
    }

    /** A time-out of a socket is one of each read, and a record of TLS has as many as its server wants. */
    @Test
    void aServerThatDripsARecordOfTlsHasNoMoreEither() throws IOException {
        int port = serve(caller -> {
            caller.getOutputStream().write(new byte[] {22, 3, 3, 0x40, 0});
            for (int i = 0; i < 100; i++) {
                caller.getOutputStream().write(2);
                LockSupport.parkNanos(100_000_000);
            }
        });
        long begun = System.nanoTime();
        assertThat(ask(port, HttpGetProbe.Scheme.HTTPS, SECOND)).contains("no answer within 1 s");
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
    }

    @Test
    void nobodyThereIsAFailure() throws IOException {
        int port = serve("");
        server.close();
        assertThat(ask(port).orElseThrow()).contains("refused");
        assertThat(check.failure(
                        new HttpGetProbe("no-such-host.invalid", 80, "/", null),
                        new Target("no-such-host.invalid", false),
                        SECOND))
                .contains("there is no host no-such-host.invalid");
    }

    @Test
    void aServerWithoutTlsIsAFailureOfHttps() throws IOException {
        assertThat(ask(serve("HTTP/1.1 200 OK\r\n\r\n"), HttpGetProbe.Scheme.HTTPS, PATIENT)
                        .orElseThrow())
                .contains("SSL");
    }

    /** As kubelet does: who answers is known by the name of the resource, and nothing secret is sent. */
    @Test
    void aCertificateThatNobodyKnowsIsNoFailure() {
        try (AnsweringHistory secured =
                AnsweringHistory.listen().answer("/health?deep=1", 200, "fine".getBytes(StandardCharsets.UTF_8))) {
            assertThat(ask(secured.address().getPort(), HttpGetProbe.Scheme.HTTPS, PATIENT))
                    .isEmpty();
            secured.answer("/health?deep=1", 500, new byte[0]);
            assertThat(ask(secured.address().getPort(), HttpGetProbe.Scheme.HTTPS, PATIENT))
                    .contains("answered 500");
        }
    }

    @Test
    void aNameThatLeadsToTheOperatorsMachineIsNotAsked() throws IOException {
        HttpGetProbe probe = new HttpGetProbe("localhost", serve("HTTP/1.1 200 OK\r\n\r\n"), "/", null);
        assertThat(check.failure(probe, new Target("localhost", false), SECOND))
                .contains("localhost leads to an address that no probe may ask");
        assertThat(requests).isEmpty();
    }
}
