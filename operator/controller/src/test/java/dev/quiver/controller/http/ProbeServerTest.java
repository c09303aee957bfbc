package dev.quiver.controller.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.http.Answer;

class ProbeServerTest {

    private final HttpClient http = HttpClient.newHttpClient();
    private ProbeServer server;

    @BeforeEach
    void open() throws IOException {
        server = ProbeServer.open(
                0,
                new ProbeServer.Checks(() -> Answer.yes("started"), () -> Answer.no("not yet"), () -> {
                    throw new IllegalStateException("no answer");
                }),
                new PrometheusMeterRegistry(PrometheusConfig.DEFAULT));
    }

    @AfterEach
    void close() {
        server.close();
        http.close();
    }

    @ParameterizedTest
    @CsvSource({"/started,200", "/ready,503", "/startedtoo,404", "/started/more,404", "/,404", "/metrics,200"})
    void onlyThePathItselfIsAnswered(String path, int status) throws Exception {
        assertThat(get(path).statusCode()).isEqualTo(status);
    }

    @Test
    void aCheckThatFailsIsAnAnswerToo() throws Exception {
        HttpResponse<String> answer = get("/live");
        assertThat(answer.statusCode()).isEqualTo(500);
        assertThat(answer.body()).contains("no answer");
    }

    private HttpResponse<String> get(String path) throws IOException, InterruptedException {
        return http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + server.port() + path))
                        .build(),
                BodyHandlers.ofString());
    }
}
