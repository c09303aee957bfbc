package dev.quiver.e2e.quiver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.awaitility.Awaitility;

/**
 * The record of a namespace, read with a token of the namespace's reader. It is read by a port that kubectl forwards,
 * as a person does, or by the API server's service proxy, as a program may. Closing ends the forwarding.
 */
public final class Record implements AutoCloseable {

    private static final Pattern PORT = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

    /** Items of a page, at most. */
    private static final int PAGE = 1000;

    private final String namespace;
    private final Watching forwarding;
    /** The API server's proxy takes the offer of HTTP/2 for another protocol, and waits for that. */
    private final HttpClient http =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final String address;
    private final boolean proxied;
    private final String token;

    private Record(String namespace, Watching forwarding, String address, boolean proxied, String token) {
        this.namespace = namespace;
        this.forwarding = forwarding;
        this.address = address;
        this.proxied = proxied;
        this.token = token;
    }

    /** The record of a space, which has a pool. */
    public static Record of(Space space, Installation quiver) {
        Watching forwarding = quiver.kubectl().watch("port-forward", "quiver-history-0", ":8080");
        return new Record(space.name(), forwarding, address(forwarding), false, token(space));
    }

    /** The same, by the API server's service proxy. */
    public static Record byServiceProxy(Space space, Installation quiver) {
        Watching forwarding = quiver.kubectl().watch("proxy", "--port=0");
        String address = address(forwarding) + "/api/v1/namespaces/" + Installation.NAMESPACE
                + "/services/https:quiver-history:8443/proxy";
        return new Record(space.name(), forwarding, address, true, token(space));
    }

    private static String address(Watching forwarding) {
        return Awaitility.await("kubectl forwards a port")
                .until(
                        () -> forwarding.lines().stream()
                                .map(PORT::matcher)
                                .filter(Matcher::find)
                                .map(found -> "http://127.0.0.1:" + found.group(1))
                                .findFirst()
                                .orElse(""),
                        found -> !found.isEmpty());
    }

    private static String token(Space space) {
        return space.kubectl()
                .run("create", "token", "quiver-reader", "--audience", "read.history.quiver.dev", "--duration", "1h")
                .strip();
    }

    /** The status and the body of a path below the namespace, asked with this token. */
    public HttpResponse<String> ask(String method, String path, String with) {
        return send(method, "/v1/namespaces/" + namespace + path, with);
    }

    /** An address of the page. */
    public HttpResponse<String> page(String path) {
        return send("GET", path, "");
    }

    /** The address at which a browser begins: the page asks before it takes the token from it. */
    public String pageWithToken() {
        return address + "/#token=" + token;
    }

    private HttpResponse<String> send(String method, String path, String with) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(address + path)).method(method, HttpRequest.BodyPublishers.noBody());
        if (!with.isEmpty() && proxied) {
            // The API server takes Authorization for itself.
            request.header("Quiver-Token", with);
        } else if (!with.isEmpty()) {
            request.header("Authorization", "Bearer " + with);
        }
        try {
            return http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The text of a path below the namespace. */
    public String text(String path) {
        HttpResponse<String> answer = ask("GET", path, token);
        if (answer.statusCode() != 200) {
            throw new AssertionError(path + " is answered by " + answer.statusCode() + " " + answer.body());
        }
        return answer.body();
    }

    /** The document of a path below the namespace. */
    public JsonNode json(String path) {
        return Serialization.unmarshal(text(path), JsonNode.class);
    }

    /** A run, once its record has an end. */
    public JsonNode ended(String name) {
        return Awaitility.await("the record of " + name + " has an end")
                .ignoreExceptions()
                .until(
                        () -> json("/runs/" + name),
                        run -> run.path("finishedAt").isTextual());
    }

    /** The items of a list. */
    public List<JsonNode> items(String path) {
        List<JsonNode> items = new ArrayList<>();
        json(path).path("items").forEach(items::add);
        return items;
    }

    /** The items of all pages of a list. */
    public List<JsonNode> all(String path) {
        List<JsonNode> items = new ArrayList<>();
        String pages = path + (path.contains("?") ? "&" : "?") + "limit=" + PAGE;
        JsonNode page = json(pages);
        page.path("items").forEach(items::add);
        while (page.hasNonNull("continue")) {
            String next = URLEncoder.encode(page.path("continue").asText(), StandardCharsets.UTF_8);
            page = json(pages + "&continue=" + next);
            page.path("items").forEach(items::add);
        }
        return items;
    }

    @Override
    public void close() {
        forwarding.close();
    }
}
