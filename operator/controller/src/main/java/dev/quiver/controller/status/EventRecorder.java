package dev.quiver.controller.status;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import dev.quiver.controller.kube.ApiRefusal;
import dev.quiver.lifecycle.text.PrintableText;

/**
 * Writes Events. An Event about a resource is written once in ten minutes at most. An Event that cannot be written is
 * logged and dropped, since the conditions have the same content. Thread-safe.
 */
public final class EventRecorder {

    private static final Logger log = LoggerFactory.getLogger(EventRecorder.class);
    private static final String COMPONENT = "quiver-operator";
    private static final Duration QUIET = Duration.ofMinutes(10);
    private static final int REMEMBERED = 4096;
    private static final int MAX_MESSAGE_CHARS = 1024;

    private record Published(String uid, Event event) {}

    private final KubernetesClient client;
    private final Clock clock;
    private final Map<Published, Instant> published = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Published, Instant> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** Writes through that client. */
    public EventRecorder(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    /** Writes the Event, unless the same one was written just now. */
    public void publish(HasMetadata about, Event event) {
        Instant now = clock.instant();
        synchronized (published) {
            Published key = new Published(about.getMetadata().getUid(), event);
            Instant before = published.get(key);
            if (before != null && before.plus(QUIET).isAfter(now)) {
                return;
            }
            published.put(key, now);
        }
        try {
            client.v1().events().resource(apiEvent(about, event, now)).create();
        } catch (KubernetesClientException e) {
            log.atLevel(ApiRefusal.namespaceGoes(e) ? Level.DEBUG : Level.WARN)
                    .log(
                            "event {} about {} was not written: {}",
                            event.reason(),
                            about.getMetadata().getName(),
                            ApiRefusal.message(e));
        }
    }

    private static io.fabric8.kubernetes.api.model.Event apiEvent(HasMetadata about, Event event, Instant now) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        long unique = now.getEpochSecond() * 1_000_000_000L + System.nanoTime() % 1_000_000_000L;
        return new EventBuilder()
                .withNewMetadata()
                .withName(about.getMetadata().getName() + "." + Long.toHexString(unique))
                .withNamespace(about.getMetadata().getNamespace())
                .endMetadata()
                .withNewInvolvedObject()
                .withApiVersion(about.getApiVersion())
                .withKind(about.getKind())
                .withName(about.getMetadata().getName())
                .withNamespace(about.getMetadata().getNamespace())
                .withUid(about.getMetadata().getUid())
                .endInvolvedObject()
                .withType(event.warning() ? "Warning" : "Normal")
                .withReason(event.reason())
                .withMessage(PrintableText.of(event.message(), MAX_MESSAGE_CHARS))
                .withCount(1)
                .withFirstTimestamp(time)
                .withLastTimestamp(time)
                .withNewSource()
                .withComponent(COMPONENT)
                .endSource()
                .withReportingComponent(COMPONENT)
                .build();
    }
}
