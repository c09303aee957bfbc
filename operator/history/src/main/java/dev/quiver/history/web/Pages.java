package dev.quiver.history.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/**
 * The page's files, read once from the class path: ours, and lit-html from its WebJar. A page has another policy than
 * the API's answers: it runs its own scripts, asks its own origin, and makes no HTML of text. Immutable.
 */
final class Pages {

    /** The policy that tells a browser what the page may do. */
    static final String POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
            + " img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none';"
            + " require-trusted-types-for 'script'; trusted-types lit-html";

    /** In the place of the page behind the API server's proxy, whose origin it would share. */
    private static final String PROXIED = """
            The page is not shown through the API server's proxy, since it would share its origin. Use instead:

              kubectl -n quiver-system port-forward quiver-history-0 8080
              kubectl -n NAMESPACE create token quiver-reader --audience read.history.quiver.dev --duration 8h
            """;

    private static final String LIT = "lit-html";
    private static final List<String> FILES = List.of(
            "style.css",
            "app.js",
            "api.js",
            "class.js",
            "columns.js",
            "commands.js",
            "format.js",
            "growing.js",
            "html.js",
            "lanes.js",
            "output.js",
            "pool.js",
            "run.js",
            "runs.js",
            "search.js",
            "start.js",
            "task.js",
            "tasks.js",
            "timeline.js",
            "worker.js");

    private final Map<String, Response.Bytes> files = new HashMap<>();

    /** Reads all files. */
    Pages() {
        files.put("/", file("page/index.html"));
        FILES.forEach(name -> files.put("/page/" + name, file("page/" + name)));
        files.put("/lit-html.js", new Response.Bytes(type("lit-html.js"), lit()));
    }

    /**
     * The file at an address.
     *
     * @param proxied whether the request came through the API server's proxy
     */
    Optional<Response.Bytes> at(String path, boolean proxied) {
        Optional<Response.Bytes> file = Optional.ofNullable(files.get(path));
        return proxied
                ? file.map(its ->
                        new Response.Bytes("text/plain; charset=utf-8", PROXIED.getBytes(StandardCharsets.UTF_8)))
                : file;
    }

    private static Response.Bytes file(String name) {
        return new Response.Bytes(type(name), bytes(Pages.class.getResourceAsStream(name), name));
    }

    private static byte[] lit() {
        ClassLoader loader = Pages.class.getClassLoader();
        String about = "META-INF/maven/org.webjars.npm/" + LIT + "/pom.properties";
        Properties properties = new Properties();
        try (InputStream in = loader.getResourceAsStream(about)) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String name = "META-INF/resources/webjars/" + LIT + "/" + properties.getProperty("version") + "/lit-html.js";
        return bytes(loader.getResourceAsStream(name), name);
    }

    private static byte[] bytes(InputStream from, String name) {
        if (from == null) {
            throw new IllegalStateException(name + " is not on the class path");
        }
        try (from) {
            return from.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String type(String name) {
        return switch (name.substring(name.lastIndexOf('.') + 1)) {
            case "html" -> "text/html; charset=utf-8";
            case "css" -> "text/css; charset=utf-8";
            default -> "text/javascript; charset=utf-8";
        };
    }
}
