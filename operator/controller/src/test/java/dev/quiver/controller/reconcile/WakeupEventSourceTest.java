package dev.quiver.controller.reconcile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.javaoperatorsdk.operator.api.reconciler.IndexedResourceCache;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class WakeupEventSourceTest {

    private static final ConfigMap ONE = resource("one");
    private static final ConfigMap TWO = resource("two");

    private final List<ConfigMap> there = new ArrayList<>(List.of(ONE, TWO));
    private final List<Runnable> later = new ArrayList<>();
    private final List<ResourceID> woken = new ArrayList<>();
    private final WakeupEventSource<ConfigMap> wakeups = new WakeupEventSource<>("test", later::add);

    private static ConfigMap resource(String name) {
        return new ConfigMapBuilder()
                .withNewMetadata()
                .withName(name)
                .withNamespace("team-a")
                .endMetadata()
                .build();
    }

    @BeforeEach
    void start() {
        wakeups.setCache(new Resources());
        wakeups.setEventHandler(event -> {
            if (event.getRelatedCustomResourceID().equals(ResourceID.fromResource(ONE)) && there.size() == 2) {
                throw new IllegalStateException("Cannot receive event after a delete event received");
            }
            woken.add(event.getRelatedCustomResourceID());
        });
        wakeups.start();
    }

    private final class Resources implements IndexedResourceCache<ConfigMap> {

        @Override
        public Optional<ConfigMap> get(ResourceID id) {
            return there.stream()
                    .filter(resource -> ResourceID.fromResource(resource).equals(id))
                    .findFirst();
        }

        @Override
        public Stream<ResourceID> keys() {
            return there.stream().map(ResourceID::fromResource);
        }

        @Override
        public Stream<ConfigMap> list(Predicate<ConfigMap> predicate) {
            return there.stream().filter(predicate);
        }

        @Override
        public Stream<ConfigMap> list(String namespace, Predicate<ConfigMap> predicate) {
            return list(predicate);
        }

        @Override
        public List<ConfigMap> byIndex(String name, String key) {
            throw new UnsupportedOperationException(name);
        }
    }

    @Test
    void aResourceThatGoesKeepsNoOtherOneAsleep() {
        wakeups.wakeAll();
        assertThat(woken).containsExactly(ResourceID.fromResource(TWO));
    }

    @Test
    void wakesTheResourceThatHasTheNameOfOneThatWent() {
        there.remove(ONE);
        wakeups.wakeSuccessor(ONE);
        there.set(0, ONE);
        later.forEach(Runnable::run);
        assertThat(woken).containsExactly(ResourceID.fromResource(ONE));
    }

    @Test
    void wakesNobodyWhereTheNameIsFree() {
        there.remove(ONE);
        wakeups.wakeSuccessor(ONE);
        later.forEach(Runnable::run);
        assertThat(woken).isEmpty();
    }
}
