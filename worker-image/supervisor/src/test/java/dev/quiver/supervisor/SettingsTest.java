package dev.quiver.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SettingsTest {

    private final Map<String, String> environment = new HashMap<>(Map.of(
            "QUIVER_POOL", "specs",
            "QUIVER_POOL_UID", "p-1",
            "QUIVER_POD_NAME", "specs-abc-0",
            "QUIVER_POD_UID", "u-1",
            "QUIVER_KEYSPACE_PREFIX", "quiver:{team-a}:",
            "QUIVER_SLOTS", "4",
            "QUIVER_INPUT_BYTES", "1048576",
            "QUIVER_OUTPUT_BYTES", "1048576",
            "QUIVER_DRAIN_SECONDS", "300"));

    @Test
    void readsWhatTheOperatorWritesIntoThePod() {
        Settings settings = Settings.from(environment);
        assertThat(settings.slots()).isEqualTo(4);
        assertThat(settings.drain()).isEqualTo(Duration.ofMinutes(5));
        assertThat(settings.inDirectory()).hasToString("/quiver/in");
        assertThat(settings.httpAddress().getPort()).isEqualTo(9464);
    }

    @Test
    void historyIsWhereItsAddressIsSetAndSpeaksTls() {
        assertThat(Settings.from(environment).history()).isEmpty();
        environment.put("QUIVER_HISTORY_URL", "https://history:8443");
        assertThat(Settings.from(environment).history().orElseThrow().token()).hasToString("/quiver/history/token");
        environment.put("QUIVER_HISTORY_URL", "http://history:8443");
        assertThatThrownBy(() -> Settings.from(environment)).hasMessageContaining("must begin with https://");
    }

    @ParameterizedTest
    @CsvSource({
        "QUIVER_SLOTS,0,not between 1 and 64",
        "QUIVER_SLOTS,65,not between 1 and 64",
        "QUIVER_SLOTS,four,not a whole number",
        "QUIVER_DRAIN_SECONDS,-1,not between 0 and 3600",
        "QUIVER_HTTP_PORT,70000,not between 0 and 65535",
        "QUIVER_KEYSPACE_PREFIX,quiver,must end with ':'",
    })
    void refusesABadValueWithItsNameAndTheValue(String name, String value, String why) {
        environment.put(name, value);
        assertThatThrownBy(() -> Settings.from(environment))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining(name + "=" + value)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"QUIVER_POOL", "QUIVER_POD_UID", "QUIVER_SLOTS"})
    void namesAVariableThatIsMissing(String name) {
        environment.remove(name);
        assertThatThrownBy(() -> Settings.from(environment)).hasMessage(name + " is not set");
    }
}
