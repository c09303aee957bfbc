package dev.quiver.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;

import dev.quiver.history.store.RetentionPolicy;

class HistorySettingsTest {

    private static final Map<String, String> LEAST = Map.of(
            "KUBERNETES_SERVICE_HOST", "10.0.0.1",
            "KUBERNETES_SERVICE_PORT", "443",
            "QUIVER_REDIS_DIR", "/redis",
            "QUIVER_NAMESPACE", "quiver-system",
            "QUIVER_HISTORY_DATABASE", "/data/history.db");

    private static HistorySettings with(Map<String, String> more) {
        Map<String, String> environment = new HashMap<>(LEAST);
        environment.putAll(more);
        return HistorySettings.of(environment);
    }

    @Test
    void whatIsNotSetIsAsUsual() {
        assertThat(with(Map.of()))
                .returns(RetentionPolicy.DEFAULT, HistorySettings::retention)
                .returns(Long.MAX_VALUE, HistorySettings::maxBytes)
                .returns(List.of("quiver-store-beats"), HistorySettings::keyspaces)
                .returns(new HistorySettings.Ports(8080, 8443, Optional.empty(), 8081), HistorySettings::ports)
                .returns(Optional.empty(), HistorySettings::pod)
                .returns(false, HistorySettings::emptyDir);
    }

    @Test
    void readsEachVariable() {
        assertThat(with(Map.ofEntries(
                        Map.entry("QUIVER_KUBERNETES_DIR", "/account"),
                        Map.entry("QUIVER_HISTORY_KEYSPACES", "one,two"),
                        Map.entry("QUIVER_HISTORY_USER", "reader"),
                        Map.entry("QUIVER_HISTORY_PASSWORD", "secret"),
                        Map.entry("QUIVER_HTTP_PORT", "1"),
                        Map.entry("QUIVER_HISTORY_TLS_PORT", "2"),
                        Map.entry("QUIVER_HISTORY_TLS_DIR", "/tls"),
                        Map.entry("QUIVER_PROBE_PORT", "3"),
                        Map.entry("QUIVER_POD_NAME", "history-0"),
                        Map.entry("QUIVER_POD_UID", "uid"),
                        Map.entry("QUIVER_HISTORY_EMPTY_DIR", "true"),
                        Map.entry("QUIVER_HISTORY_DAYS", "4"),
                        Map.entry("QUIVER_HISTORY_RUNS", "5"),
                        Map.entry("QUIVER_HISTORY_OUTPUT_DAYS", "6"),
                        Map.entry("QUIVER_HISTORY_MAX_BYTES", "7000"))))
                .returns(Path.of("/account"), HistorySettings::account)
                .returns(Path.of("/redis"), HistorySettings::redis)
                .returns("quiver-system", HistorySettings::namespace)
                .returns(List.of("one", "two"), HistorySettings::keyspaces)
                .returns("/data/history.db", HistorySettings::database)
                .returns("reader", HistorySettings::user)
                .returns("secret", HistorySettings::password)
                .returns(new HistorySettings.Ports(1, 2, Optional.of(Path.of("/tls")), 3), HistorySettings::ports)
                .returns(Optional.of(new HistorySettings.Pod("history-0", "uid")), HistorySettings::pod)
                .returns(true, HistorySettings::emptyDir)
                .returns(new RetentionPolicy(Duration.ofDays(4), 5, Duration.ofDays(6)), HistorySettings::retention)
                .returns(7000L, HistorySettings::maxBytes);
    }
}
