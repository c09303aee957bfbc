package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;

import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.controller.store.GrantedPrefixes.Use;
import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;
import dev.quiver.crds.v1alpha1.WorkerPoolSpecBuilder;

class GrantedPrefixesTest {

    private static final GrantedPrefixes GRANTED = new GrantedPrefixes(Map.of("a", "idoit:", "b", "idoqueue:"), false);

    private static WorkerPool pool(String namespace, GrantedPrefix keys) {
        WorkerPool pool = new WorkerPool();
        pool.setMetadata(
                new ObjectMetaBuilder().withName("p").withNamespace(namespace).build());
        pool.setSpec(WorkerPoolSpecBuilder.builder().grantedPrefix(keys).build());
        return pool;
    }

    private static Use use(GrantedPrefixes prefixes, String namespace, String prefix) {
        return prefixes.of(pool(namespace, new GrantedPrefix(prefix, null)));
    }

    private static void refused(Use use, WorkerPoolReason reason, String... words) {
        assertThat(use).isInstanceOfSatisfying(Use.Refused.class, no -> {
            assertThat(no.reason()).isEqualTo(reason);
            assertThat(no.message()).contains(words).endsWith(".");
        });
        assertThat(use.usable()).isEmpty();
    }

    @Test
    void aNamespaceUsesItsOwnPrefixAndNoOther() {
        assertThat(GRANTED.of("a")).contains("idoit:");
        assertThat(GRANTED.of("c")).isEmpty();
        assertThat(use(GRANTED, "a", "idoit:")).isEqualTo(new Use.Granted("idoit:"));
        assertThat(use(GRANTED, "a", "idoit:").usable()).contains("idoit:");
        assertThat(GRANTED.of(pool("a", null))).isEqualTo(new Use.None());
        for (String other : new String[] {"idoqueue:", "idoit", "idoit:jobs:"}) {
            refused(
                    use(GRANTED, "a", other),
                    WorkerPoolReason.NotGranted,
                    "spec.grantedPrefix.prefix: \"" + other + "\"",
                    "namespace a, which has \"idoit:\"",
                    "operator.grantedPrefixes.a");
        }
        refused(
                use(GRANTED, "c", "idoit:"),
                WorkerPoolReason.NotGranted,
                "is not granted to namespace c;",
                "operator.grantedPrefixes.c");
    }

    @Test
    void onAClusterNobodyUsesOne() {
        GrantedPrefixes prefixes = new GrantedPrefixes(GRANTED.byNamespace(), true);
        assertThat(prefixes.of("a")).isEmpty();
        refused(use(prefixes, "a", "idoit:"), WorkerPoolReason.RedisCluster, "\"idoit:\"", "Redis Cluster");
        assertThat(prefixes.of(pool("a", null))).isEqualTo(new Use.None());
    }

    @Test
    void readsWhatTheChartWrites() {
        assertThat(GrantedPrefixes.read("{}")).isEmpty();
        assertThat(GrantedPrefixes.read("{\"team-a\":\"idoit:\",\"b\":\"jobs/\"}"))
                .containsExactlyInAnyOrderEntriesOf(Map.of("team-a", "idoit:", "b", "jobs/"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "[]", "idoit:", "{\"a\":{\"b\":\"c\"}}", "{\"a\":null}", "{\"a\":\"\"}"})
    void whatIsNoMapOfPrefixesIsRefused(String json) {
        assertThatThrownBy(() -> GrantedPrefixes.read(json)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a b",
                "a*",
                "a?",
                "[a",
                "a]",
                "a\\",
                "{a}",
                "é",
                "a\n",
                "",
                "iiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiii"
            })
    void whatAPatternOfRedisWouldReadOtherwiseIsNoPrefix(String prefix) {
        assertThatThrownBy(() -> new GrantedPrefixes(Map.of("team", prefix), false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("the prefix of team, \"" + prefix + "\", must be 1 to 64");
    }

    @ParameterizedTest
    @ValueSource(strings = {"q", "quiver", "quiver:", "quiver:jobs:"})
    void keysOfQuiverAreGrantedToNobody(String prefix) {
        assertThatThrownBy(() -> new GrantedPrefixes(Map.of("team", prefix), false))
                .hasMessageContaining("the prefix of team, \"" + prefix + "\", overlaps the keys of Quiver itself");
    }

    @ParameterizedTest
    @CsvSource({"idoit:,idoit:", "i,idoit:", "idoit:jobs:,idoit:"})
    void noTwoNamespacesShareAKey(String one, String other) {
        assertThatThrownBy(() -> new GrantedPrefixes(Map.of("a", one, "b", other), false))
                .hasMessageContaining("overlaps that of")
                .hasMessageContaining(one)
                .hasMessageContaining(other);
    }

    @Test
    void neighboursAreNoOverlap() {
        assertThat(new GrantedPrefixes(Map.of("a", "idoit:", "b", "idoit2:", "c", "quiver-old:"), false).byNamespace())
                .hasSize(3);
    }
}
