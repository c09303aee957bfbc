package dev.quiver.history;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.locks.LockSupport;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.history.kube.ApiServerException;
import dev.quiver.history.kube.KubernetesApi;
import dev.quiver.lifecycle.text.PrintableText;

/**
 * Warnings as Events of this program's pod, where {@code kubectl describe pod} and {@code kubectl get events} show
 * them. The program does not wait for one: where the API server refuses it or stays away, the log alone has the words.
 * Thread-safe.
 *
 * @param namespace of the pod
 * @param pod its name
 * @param uid of the pod
 */
record PodEvent(KubernetesApi api, String namespace, String pod, String uid) {

    private static final Logger LOG = LoggerFactory.getLogger(PodEvent.class);
    private static final int TRIES = 10;
    private static final Duration PAUSE = Duration.ofSeconds(30);
    private static final int MESSAGE_CHARS = 1024;
    private static final String COMPONENT = "quiver-history";

    /**
     * Begins to write one, and tries for five minutes.
     *
     * @param reason one word
     * @param message for people, at most 1,024 characters of it
     */
    void warn(String reason, String message, Clock clock) {
        ObjectNode event = event(reason, message, clock.instant());
        Thread.ofVirtual().name("event").start(() -> write(event));
    }

    private void write(ObjectNode event) {
        for (int i = 1; ; i++) {
            try {
                api.post("/api/v1/namespaces/" + namespace + "/events", event);
                return;
            } catch (ApiServerException e) {
                if (i == TRIES) {
                    LOG.warn("the event {} was not written: {}", event.get("reason"), e.getMessage());
                    return;
                }
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        }
    }

    /** Its name has the time, so that a repeated try makes no second one. */
    ObjectNode event(String reason, String message, Instant now) {
        String at = now.truncatedTo(ChronoUnit.SECONDS).toString();
        ObjectNode event = JsonNodeFactory.instance.objectNode();
        event.put("apiVersion", "v1").put("kind", "Event");
        event.putObject("metadata")
                .put("name", pod + "." + Long.toHexString(now.toEpochMilli()))
                .put("namespace", namespace);
        event.putObject("involvedObject")
                .put("apiVersion", "v1")
                .put("kind", "Pod")
                .put("name", pod)
                .put("namespace", namespace)
                .put("uid", uid);
        event.put("type", "Warning").put("reason", reason);
        event.put("message", PrintableText.of(message, MESSAGE_CHARS));
        event.put("firstTimestamp", at).put("lastTimestamp", at).put("count", 1);
        event.putObject("source").put("component", COMPONENT);
        event.put("reportingComponent", COMPONENT).put("reportingInstance", pod);
        return event;
    }
}
