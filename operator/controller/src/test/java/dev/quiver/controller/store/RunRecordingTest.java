package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.keyspace.Keyspace;

class RunRecordingTest {

    private final List<String> told = new ArrayList<>();

    private RunRecording recording(boolean recorded) {
        return new RunRecording(
                recorded,
                namespace -> "uid of " + namespace,
                (keyspace, uids) -> told.add(keyspace.namespace() + uids));
    }

    @Test
    void runsAreRecordedUnderTheirNamespacesUid() {
        assertThat(recording(true).of("a")).contains("uid of a");
        recording(true).deleted(Keyspace.ofNamespace("a"), List.of("x", "y"));
        assertThat(told).containsExactly("a[x, y]");
    }

    @Test
    void withoutHistoryNobodyIsAskedOrTold() {
        assertThat(recording(false).of("a")).isEmpty();
        recording(false).deleted(Keyspace.ofNamespace("a"), List.of("x"));
        assertThat(told).isEmpty();
    }
}
