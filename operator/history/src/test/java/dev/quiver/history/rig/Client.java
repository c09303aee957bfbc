package dev.quiver.history.rig;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Arrays;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

/** Asks the API over HTTP, and checks that each JSON answer is as the API's description has it. */
public final class Client implements AutoCloseable {

    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final HttpClient client = HttpClient.newHttpClient();
    private final OpenApi description = new OpenApi();
    private final String base;
    private final String token;

    /** A client of the API at that address, with the token of {@link Trusting}. */
    public Client(InetSocketAddress address) {
        this(address, Trusting.TOKEN);
    }

    /** A client of the API at that address, with that token. */
    public Client(InetSocketAddress address, String token) {
        base = "http://127.0.0.1:" + address.getPort();
        this.token = token;
    }

    /** Any answer. */
    public HttpResponse<byte[]> get(String address) {
        return send("GET", address);
    }

    /** Any answer to a GET with headers more: names and values in turn. */
    public HttpResponse<byte[]> get(String address, String header, String... others) {
        String[] headers =
                Stream.concat(Stream.of(header), Arrays.stream(others)).toArray(String[]::new);
        return send(request("GET", address).headers(headers));
    }

    /** Any answer to a method. */
    public HttpResponse<byte[]> send(String method, String address) {
        return send(request(method, address));
    }

    private HttpRequest.Builder request(String method, String address) {
        return HttpRequest.newBuilder(URI.create(base + address))
                .method(method, HttpRequest.BodyPublishers.noBody())
                .header("Quiver-Token", token);
    }

    private HttpResponse<byte[]> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The body of an answer of 200, as text. */
    public String text(String address) {
        HttpResponse<byte[]> answer = get(address);
        assertThat(answer.statusCode()).as(address).isEqualTo(200);
        return new String(answer.body(), java.nio.charset.StandardCharsets.UTF_8);
    }

    /** A document; its operation is that of the description, and a path alone is its GET. */
    public JsonNode json(int code, String path, String address) {
        int space = path.indexOf(' ');
        HttpResponse<byte[]> answer = send(space < 0 ? "GET" : path.substring(0, space), address);
        assertThat(answer.statusCode()).as(address).isEqualTo(code);
        return checked(path, answer);
    }

    /** The document of an answer, which is as the description has it. */
    public JsonNode checked(String path, HttpResponse<byte[]> answer) {
        try {
            JsonNode body = MAPPER.readTree(answer.body());
            assertThat(description.faults(path, answer.statusCode(), body))
                    .as(answer.uri().toString())
                    .isEmpty();
            return body;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The description. */
    public OpenApi description() {
        return description;
    }

    @Override
    public void close() {
        client.close();
    }
}
