package dev.quiver.history.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;

import dev.quiver.history.kube.KubernetesApi;

/** TokenReview, SubjectAccessReview and the look at a namespace as requests. Keeps nothing. Thread-safe. */
final class Reviews {

    static final String AUDIENCE = "read.history.quiver.dev";

    /** The audience of the tokens that pods bring with packs. */
    static final String WRITERS = "write.history.quiver.dev";

    private static final String POD = "authentication.kubernetes.io/pod-name";
    private static final String GROUP = "quiver.dev";
    private static final String ACCOUNT = "system:serviceaccount:";
    private static final String READER = ":quiver-reader";
    private static final JsonNodeFactory NODES = JsonNodeFactory.instance;

    private final KubernetesApi api;

    Reviews(KubernetesApi api) {
        this.api = api;
    }

    /**
     * The caller that has a token for this program, or for the API server itself; absent for any other token.
     *
     * @throws dev.quiver.history.kube.ApiServerException when nobody answers
     */
    Optional<Caller> caller(String token) {
        JsonNode own = review(token, Optional.of(AUDIENCE));
        // An authenticator that knows no audiences names none, and has verified none.
        if (own.path("authenticated").asBoolean() && has(own.path("audiences"), AUDIENCE)) {
            return Optional.of(caller(own.path("user"), true));
        }
        JsonNode servers = review(token, Optional.empty());
        return servers.path("authenticated").asBoolean()
                ? Optional.of(caller(servers.path("user"), false))
                : Optional.empty();
    }

    /**
     * The pod that has a token for bringing packs; absent for any other token, and for one that is bound to no pod.
     *
     * @throws dev.quiver.history.kube.ApiServerException when nobody answers
     */
    Optional<Writer> writer(String token) {
        JsonNode own = review(token, Optional.of(WRITERS));
        JsonNode user = own.path("user");
        String[] account = user.path("username").asText().split(":", -1);
        JsonNode pod = user.path("extra").path(POD).path(0);
        boolean good = own.path("authenticated").asBoolean()
                && has(own.path("audiences"), WRITERS)
                && user.path("username").asText().startsWith(ACCOUNT)
                && account.length == 4
                && pod.isTextual();
        return good ? Optional.of(new Writer(account[2], pod.asText())) : Optional.empty();
    }

    private JsonNode review(String token, Optional<String> audience) {
        ObjectNode review = object("authentication.k8s.io/v1", "TokenReview");
        ObjectNode spec = review.putObject("spec").put("token", token);
        audience.ifPresent(word -> spec.putArray("audiences").add(word));
        return api.post("/apis/authentication.k8s.io/v1/tokenreviews", review).path("status");
    }

    private static boolean has(JsonNode list, String word) {
        for (JsonNode each : list) {
            if (each.asText().equals(word)) {
                return true;
            }
        }
        return false;
    }

    private static Caller caller(JsonNode user, boolean ownAudience) {
        String name = user.path("username").asText();
        Map<String, List<String>> extra = new LinkedHashMap<>();
        user.path("extra").properties().forEach(each -> extra.put(each.getKey(), texts(each.getValue())));
        return new Caller(
                name,
                user.path("uid").asText(),
                texts(user.path("groups")),
                Map.copyOf(extra),
                ownAudience ? readerOf(name) : Optional.empty());
    }

    private static Optional<String> readerOf(String user) {
        return user.startsWith(ACCOUNT) && user.endsWith(READER) && user.length() > ACCOUNT.length() + READER.length()
                ? Optional.of(user.substring(ACCOUNT.length(), user.length() - READER.length()))
                : Optional.empty();
    }

    private static List<String> texts(JsonNode list) {
        List<String> texts = new ArrayList<>();
        list.forEach(each -> texts.add(each.asText()));
        return List.copyOf(texts);
    }

    /**
     * Whether the cluster's authorizers grant a right.
     *
     * @throws dev.quiver.history.kube.ApiServerException when nobody answers
     */
    boolean may(Caller caller, Right right) {
        if (right.resource().isEmpty()) {
            return false;
        }
        ObjectNode review = object("authorization.k8s.io/v1", "SubjectAccessReview");
        ObjectNode spec = review.putObject("spec").put("user", caller.user()).put("uid", caller.uid());
        ArrayNode groups = spec.putArray("groups");
        caller.groups().forEach(groups::add);
        ObjectNode extra = spec.putObject("extra");
        caller.extra().forEach((name, values) -> {
            ArrayNode all = extra.putArray(name);
            values.forEach(all::add);
        });
        ObjectNode attributes = spec.putObject("resourceAttributes");
        attributes.put("group", GROUP).put("resource", right.resource().get());
        attributes.put("namespace", right.namespace()).put("verb", right.verb().word());
        if (right.log()) {
            attributes.put("subresource", "log");
        }
        if (!right.name().isEmpty()) {
            attributes.put("name", right.name());
        }
        JsonNode status = api.post("/apis/authorization.k8s.io/v1/subjectaccessreviews", review)
                .path("status");
        return status.path("allowed").asBoolean() && !status.path("denied").asBoolean();
    }

    /**
     * The uid of a namespace; absent where there is none.
     *
     * @throws dev.quiver.history.kube.ApiServerException when nobody answers
     */
    Optional<String> namespaceUid(String namespace) {
        return api.get("/api/v1/namespaces/" + namespace)
                .map(found -> found.path("metadata").path("uid").asText())
                .filter(uid -> !uid.isEmpty());
    }

    private static ObjectNode object(String version, String kind) {
        return NODES.objectNode().put("apiVersion", version).put("kind", kind);
    }
}
