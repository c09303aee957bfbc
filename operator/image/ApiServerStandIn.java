import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * Answers as an API server does, as far as the start of both programs goes. Lists hold the objects of a folder, watches stay
 * silent, writes are kept as they are, and reviews allow everything. It is for recording the AOT caches
 * in the image build and for nothing else.
 *
 * <p>Arguments: port, folder with {@code <plural>.json} of lists and {@code <name>.json} of single objects, and a file that
 * gets a line for each status written. For TLS a folder with {@code tls.p12} follows.
 */
class ApiServerStandIn {
    private static final Pattern NAME = Pattern.compile("\"metadata\"\\s*:\\s*\\{[^{}]*\"name\"\\s*:\\s*\"([^\"]*)\"");
    private static final Map<String, String> WRITTEN = new ConcurrentHashMap<>();
    private static Path objects;
    private static Path statuses;

    public static void main(String[] args) throws IOException, GeneralSecurityException {
        objects = Path.of(args[1]);
        statuses = Path.of(args[2]);
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(args[0]));
        HttpServer server = args.length == 3 ? HttpServer.create(address, 0) : secure(address, Path.of(args[3]));
        server.setExecutor(Executors.newVirtualThreadPerTaskExecutor());
        server.createContext("/", exchange -> {
            try (exchange) {
                answer(exchange);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        server.start();
    }

    private static HttpServer secure(InetSocketAddress address, Path folder) throws IOException, GeneralSecurityException {
        char[] password = "training".toCharArray();
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(KeyStore.getInstance(folder.resolve("tls.p12").toFile(), password), password);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), null, null);
        HttpsServer server = HttpsServer.create(address, 0);
        server.setHttpsConfigurator(new HttpsConfigurator(context));
        return server;
    }

    private static void answer(HttpExchange exchange) throws IOException, InterruptedException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        String path = exchange.getRequestURI().getPath();
        String query = exchange.getRequestURI().getQuery();
        String plural = path.substring(path.lastIndexOf('/') + 1);
        System.out.println(exchange.getRequestMethod() + " " + exchange.getRequestURI());
        if ("websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Upgrade"))) {
            reply(exchange, 200, "{}"); // no upgrade: the client then watches by a plain request
        } else if (query != null && query.contains("watch=true")) {
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, 0);
            // Without a first event the answer's head would stay in a buffer, and the operator would wait for it.
            String bookmark = "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"" + kind(plural) + "\",\"apiVersion\":\""
                    + version(plural) + "\",\"metadata\":{\"resourceVersion\":\"7\"}}}\n";
            exchange.getResponseBody().write(bookmark.getBytes(StandardCharsets.UTF_8));
            exchange.getResponseBody().flush();
            Thread.sleep(600_000); // silence, until the operator goes
        } else if (path.equals("/version")) {
            reply(exchange, 200, "{\"major\":\"1\",\"minor\":\"30\",\"gitVersion\":\"v1.30.0\"}");
        } else if (path.equals("/apis")) {
            reply(exchange, 200, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}");
        } else if (plural.equals("selfsubjectrulesreviews")) {
            reply(exchange, 201, "{\"kind\":\"SelfSubjectRulesReview\",\"apiVersion\":\"authorization.k8s.io/v1\",\"spec\":{},"
                    + "\"status\":{\"incomplete\":false,\"nonResourceRules\":[],\"resourceRules\":[{\"apiGroups\":"
                    + "[\"coordination.k8s.io\"],\"resources\":[\"leases\"],\"verbs\":[\"create\",\"get\",\"update\","
                    + "\"patch\"]}]}}");
        } else if (plural.equals("tokenreviews")) {
            reply(exchange, 201, "{\"kind\":\"TokenReview\",\"apiVersion\":\"authentication.k8s.io/v1\",\"status\":"
                    + "{\"authenticated\":true,\"user\":{\"username\":\"training\"}}}");
        } else if (plural.equals("subjectaccessreviews")) {
            reply(exchange, 201, "{\"kind\":\"SubjectAccessReview\",\"apiVersion\":\"authorization.k8s.io/v1\",\"status\":"
                    + "{\"allowed\":true}}");
        } else if (path.equals("/apis/quiver.dev/v1alpha1")) {
            reply(exchange, 200, "{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"quiver.dev/v1alpha1\","
                    + "\"resources\":[" + resource("workerpools", "WorkerPool") + "," + resource("tasksets", "TaskSet") + ","
                    + resource("qtasks", "Task") + "," + resource("mapreducejobs", "MapReduceJob") + "]}");
        } else if (exchange.getRequestMethod().equals("GET") && plural.matches("workerpools|tasksets|qtasks|mapreducejobs|pods")) {
            Path stored = objects.resolve(plural + ".json");
            String items = Files.exists(stored) ? Files.readString(stored) : "[]";
            reply(exchange, 200, "{\"kind\":\"" + kind(plural) + "List\",\"apiVersion\":\"" + version(plural)
                    + "\",\"metadata\":{\"resourceVersion\":\"7\"},\"items\":" + items + "}");
        } else if (exchange.getRequestMethod().equals("GET") && Files.exists(objects.resolve(plural + ".json"))) {
            reply(exchange, 200, Files.readString(objects.resolve(plural + ".json")));
        } else if (exchange.getRequestMethod().equals("GET") && WRITTEN.containsKey(path)) {
            reply(exchange, 200, WRITTEN.get(path));
        } else if (exchange.getRequestMethod().equals("GET")) {
            reply(exchange, 404, "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":404,"
                    + "\"reason\":\"NotFound\",\"message\":\"there is no " + path + "\"}");
        } else {
            if (plural.equals("status")) {
                Files.writeString(statuses, path + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            }
            boolean created = exchange.getRequestMethod().equals("POST");
            String object = stored(body);
            Matcher name = NAME.matcher(object);
            if (!plural.equals("status") && name.find()) {
                WRITTEN.put(created ? path + "/" + name.group(1) : path, object);
            }
            reply(exchange, created ? 201 : 200, object);
        }
    }

    private static String kind(String plural) {
        return switch (plural) {
            case "pods" -> "Pod";
            case "tasksets" -> "TaskSet";
            case "qtasks" -> "Task";
            case "mapreducejobs" -> "MapReduceJob";
            default -> "WorkerPool";
        };
    }

    private static String version(String plural) {
        return plural.equals("pods") ? "v1" : "quiver.dev/v1alpha1";
    }

    private static String resource(String plural, String kind) {
        return "{\"name\":\"" + plural + "\",\"singularName\":\"\",\"namespaced\":true,\"kind\":\"" + kind
                + "\",\"verbs\":[\"get\",\"list\",\"watch\",\"patch\"]}";
    }

    /** The object that was sent, with what a server adds. */
    private static String stored(String body) {
        Matcher metadata = Pattern.compile("\"metadata\"\\s*:\\s*\\{").matcher(body);
        if (!metadata.find()) {
            return body.startsWith("{") ? body : "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Success\"}";
        }
        String added = "\"uid\":\"5d0b2f39-1f6c-4c3e-8a43-5d9d6a7a0c11\",\"resourceVersion\":\"8\","
                + "\"generation\":1,\"creationTimestamp\":\"2026-01-01T00:00:00Z\",";
        String kept = body.substring(metadata.end()).replaceAll("\"(uid|resourceVersion|generation)\":[^,}]*,", "");
        return body.substring(0, metadata.end()) + added + kept;
    }

    private static void reply(HttpExchange exchange, int status, String json) throws IOException {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(status, bytes.length);
        exchange.getResponseBody().write(bytes);
    }
}
