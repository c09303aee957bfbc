package dev.quiver.controller.status;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.Map;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

import dev.quiver.controller.kube.ApiRefusal;

/**
 * Writes Events. The same words about the same resource are written once in ten minutes at most; an Event that cannot
 * be written is logged and dropped, since what it says is also in the conditions. Thread-safe.
 */
public final class Announcer {

    private static final Logger log = LoggerFactory.getLogger(Announcer.class);
    private static final String COMPONENT = "quiver-operator";
    private static final Duration QUIET = Duration.ofMinutes(10);
    private static final int REMEMBERED = 4096;
    private static final int MAX_MESSAGE_CHARS = 1024;

    private record Said(String uid, Announcement what) {}

    private final KubernetesClient client;
    private final Clock clock;
    private final Map<Said, Instant> said = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Said, Instant> eldest) {
            return size() > REMEMBERED;
        }
    };

    /** Writes through that client. */
    public Announcer(KubernetesClient client, Clock clock) {
        this.client = client;
        this.clock = clock;
    }

    /** Tells it, unless it was told just now. */
    public void tell(HasMetadata about, Announcement what) {
        Instant now = clock.instant();
        synchronized (said) {
            Said key = new Said(about.getMetadata().getUid(), what);
            Instant before = said.get(key);
            if (before != null && before.plus(QUIET).isAfter(now)) {
                return;
            }
            said.put(key, now);
        }
        try {
            client.v1().events().resource(event(about, what, now)).create();
        } catch (KubernetesClientException e) {
            log.atLevel(ApiRefusal.namespaceGoes(e) ? Level.DEBUG : Level.WARN)
                    .log(
                            "event {} about {} was not written: {}",
                            what.reason(),
                            about.getMetadata().getName(),
                            ApiRefusal.words(e));
        }
    }

    private static Event event(HasMetadata about, Announcement what, Instant now) {
        String time = now.truncatedTo(ChronoUnit.SECONDS).toString();
        long unique = now.getEpochSecond() * 1_000_000_000L + System.nanoTime() % 1_000_000_000L;
        String message = what.message().length() > MAX_MESSAGE_CHARS
                ? what.message().substring(0, MAX_MESSAGE_CHARS - 1) + "…"
                : what.message();
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
                .withType(what.warning() ? "Warning" : "Normal")
                .withReason(what.reason())
                .withMessage(message)
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
