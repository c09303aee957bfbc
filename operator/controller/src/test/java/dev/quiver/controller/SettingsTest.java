package dev.quiver.controller;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.controller.pool.podspec.HistoryEndpoint;
import dev.quiver.controller.pool.probe.ProbeHosts;
import dev.quiver.controller.tenancy.Tenancy;

class SettingsTest {

    @Test
    void nothingSetIsAllNamespacesAndAUserForEach() {
        Settings settings = Settings.ofEnvironment(Map.of());
        assertThat(settings.watched()).isEmpty();
        assertThat(settings.tenancy()).isEqualTo(Tenancy.ACL);
        assertThat(settings.statusWritesPerSecond()).isEqualTo(50);
        assertThat(settings.grantedPrefixes()).isEmpty();
        assertThat(settings.probeHosts()).isEqualTo(new ProbeHosts(false, List.of()));
        assertThat(settings.history()).isFalse();
        assertThat(settings.workerImage()).isEqualTo(Settings.DEFAULT_WORKER_IMAGE);
    }

    @Test
    void readsWhatTheChartSets() {
        Settings settings = Settings.ofEnvironment(Map.of(
                "QUIVER_WATCH_NAMESPACES", "a, b",
                "QUIVER_SUPERVISOR_RESOURCES", "{\"limits\":{\"memory\":\"256Mi\"}}",
                "QUIVER_GRANTED_PREFIXES", "{\"team-a\":\"idoit:\"}",
                "QUIVER_PROBE_HOSTS", "services,*.example.org",
                "QUIVER_HISTORY", "true",
                "QUIVER_HISTORY_URL", "https://quiver-history.quiver-system.svc:8443",
                "QUIVER_HISTORY_CA", "/quiver/history/ca.crt",
                "QUIVER_HISTORY_TOKEN", "/quiver/history-token/token",
                "QUIVER_POD_NAME", "quiver-operator-0"));
        assertThat(settings.history()).isTrue();
        assertThat(settings.record().orElseThrow().token()).isEqualTo(Path.of("/quiver/history-token/token"));
        assertThat(settings.packs())
                .contains(new HistoryEndpoint(
                        "https://quiver-history.quiver-system.svc:8443",
                        Optional.of(Path.of("/quiver/history/ca.crt"))));
        assertThat(settings.grantedPrefixes()).isEqualTo(Map.of("team-a", "idoit:"));
        assertThat(settings.probeHosts()).isEqualTo(new ProbeHosts(true, List.of("*.example.org")));
        assertThat(settings.watched()).containsExactly("a", "b");
        assertThat(settings.supervisorResources().getLimits().get("memory").toString())
                .isEqualTo("256Mi");
        assertThat(settings.lease().identity()).isEqualTo("quiver-operator-0");
    }

    @Test
    void readsEachOfTheOthers() {
        Settings settings = Settings.ofEnvironment(Map.ofEntries(
                Map.entry("QUIVER_NAMESPACE", "other-system"),
                Map.entry("QUIVER_TENANCY", "secrets"),
                Map.entry("QUIVER_TENANTS_DIR", "/tenants"),
                Map.entry("QUIVER_REDIS_DIR", "/redis"),
                Map.entry("QUIVER_REDIS_POLICY", "other-redis"),
                Map.entry("QUIVER_WORKER_IMAGE", "registry.example.com/worker:1"),
                Map.entry("QUIVER_WORKER_IMAGE_PULL_POLICY", "Always"),
                Map.entry("QUIVER_STATUS_WRITES_PER_SECOND", "7"),
                Map.entry("QUIVER_STORE_PATIENCE_SECONDS", "5"),
                Map.entry("QUIVER_HTTP_PORT", "0"),
                Map.entry("QUIVER_LEASE_NAME", "other-operator")));
        assertThat(settings)
                .returns(Tenancy.SECRETS, Settings::tenancy)
                .returns(Optional.of(Path.of("/tenants")), Settings::tenants)
                .returns(Path.of("/redis"), Settings::redis)
                .returns(Optional.of("other-redis"), Settings::redisPolicy)
                .returns("registry.example.com/worker:1", Settings::workerImage)
                .returns("Always", Settings::pullPolicy)
                .returns(7, Settings::statusWritesPerSecond)
                .returns(Duration.ofSeconds(5), Settings::storePatience)
                .returns(0, Settings::httpPort);
        assertThat(settings.lease().installation()).isEqualTo("other-system/other-operator");
    }

    @ParameterizedTest
    @CsvSource({
        "QUIVER_STATUS_WRITES_PER_SECOND,0",
        "QUIVER_STATUS_WRITES_PER_SECOND,many",
        "QUIVER_HTTP_PORT,70000",
        "QUIVER_TENANCY,none",
        "QUIVER_HISTORY,yes",
        "QUIVER_HISTORY_URL,http://history",
        "QUIVER_TENANCY,secrets",
        "QUIVER_SUPERVISOR_RESOURCES,[]"
    })
    void whatMakesNoSenseIsRefusedByName(String name, String value) {
        assertThatThrownBy(() -> Settings.ofEnvironment(Map.of(name, value)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(value.equals("secrets") ? "QUIVER_TENANTS_DIR" : name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "idoit:",
                "{\"a\":\"quiver:\"}",
                "{\"a\":\"i*\"}",
                "{\"a\":\"idoit:\",\"b\":\"idoit:\"}",
                "{\"a\":\"idoit:\",\"b\":\"idoit:jobs:\"}"
            })
    void grantsThatOverlapOrAreNoneAreRefusedByName(String value) {
        assertThatThrownBy(() -> Settings.ofEnvironment(Map.of("QUIVER_GRANTED_PREFIXES", value)))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("QUIVER_GRANTED_PREFIXES=" + value);
    }

    @ParameterizedTest
    @CsvSource({
        "QUIVER_REDIS_PORT,abc,QUIVER_REDIS_PORT=abc is not a whole number",
        "QUIVER_REDIS_PORT,0,QUIVER_REDIS_PORT=0 is not between 1 and 65535",
        "QUIVER_REDIS_HOST,' ',QUIVER_REDIS_HOST is not set"
    })
    void initSecretRefusesInTheSameWords(String name, String value, String message) {
        Map<String, String> environment = new HashMap<>(Map.of("QUIVER_REDIS_HOST", "redis"));
        environment.put(name, value);
        assertThatThrownBy(() -> InitSecret.Target.ofEnvironment(environment))
                .isInstanceOf(SettingsException.class)
                .hasMessage(message);
    }
}
