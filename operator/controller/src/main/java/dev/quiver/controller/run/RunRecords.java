package dev.quiver.controller.run;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;

import dev.quiver.crds.v1alpha1.RunHistory;
import dev.quiver.crds.v1alpha1.RunHistoryRetention;
import dev.quiver.lifecycle.execution.Recording;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.RunKind;
import dev.quiver.lifecycle.history.RunOpening;

/** The record of a resource's run in the words of the stream. Pure. */
public final class RunRecords {

    private static final byte[] NO_SPEC = {};

    private RunRecords() {}

    /** The recorded parts of each trial; absent if the run has no record. */
    public static Optional<Recording> recording(RunHistory history) {
        if (history.keep() == RunHistory.Keep.None) {
            return Optional.empty();
        }
        return Optional.of(new Recording(
                        history.keep() == RunHistory.Keep.All ? Recording.Keep.ALL : Recording.Keep.FAILURES,
                        switch (history.output().keep()) {
                            case Failed -> Recording.Output.FAILED;
                            case All -> Recording.Output.ALL;
                            case None -> Recording.Output.NONE;
                        },
                        switch (history.results()) {
                            case None -> Recording.Results.NONE;
                            case Json -> Recording.Results.JSON;
                            case All -> Recording.Results.ALL;
                        },
                        history.resources())
                .keepingStreams(history.output().streamKib()));
    }

    /**
     * The facts of a run.
     *
     * @param resource whose run it is
     * @param namespaceUid uid of its namespace, empty where nobody knows
     * @param pool that runs it
     * @param runClass runs of one class have one memory; absent: it stands alone
     * @param tasks how many it has, 0 where nobody knows yet
     * @param sourceHash runs of one hash have the same tasks; absent where nobody knows
     */
    public static RunOpening opening(
            HasMetadata resource,
            String namespaceUid,
            RunHistory history,
            String pool,
            Optional<String> runClass,
            long tasks,
            Optional<String> sourceHash) {
        Optional<RunHistoryRetention> retention = history.ownRetention();
        return new RunOpening(
                kind(resource),
                resource.getMetadata().getName(),
                namespaceUid,
                runClass,
                pool,
                Optional.empty(),
                0,
                Optional.empty(),
                Optional.ofNullable(resource.getMetadata().getCreationTimestamp())
                        .map(time -> Instant.parse(time).toEpochMilli())
                        .orElse(0L),
                tasks,
                sourceHash,
                retention.map(RunHistoryRetention::days).orElse(0),
                retention.map(RunHistoryRetention::runs).orElse(0),
                history.forgets(),
                labels(resource),
                spec(resource));
    }

    private static RunKind kind(HasMetadata resource) {
        return Arrays.stream(RunKind.values())
                .filter(kind -> kind.word().equals(resource.getKind()))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("no run is a " + resource.getKind()));
    }

    /** As many as the record takes, in the order of their names. */
    private static Map<String, String> labels(HasMetadata resource) {
        Map<String, String> all = resource.getMetadata().getLabels();
        Map<String, String> labels = new TreeMap<>();
        if (all != null) {
            new TreeMap<>(all)
                    .entrySet().stream()
                            .limit(HistoryBounds.LABELS)
                            .forEach(label -> labels.put(label.getKey(), label.getValue()));
        }
        return labels;
    }

    /** Without a list of tasks, which the record has by name; nothing where it is still too large. */
    private static byte[] spec(HasMetadata resource) {
        JsonNode spec = Serialization.unmarshal(Serialization.asJson(resource), JsonNode.class)
                .path("spec");
        if (spec.path("source") instanceof ObjectNode source) {
            source.remove("items");
        }
        byte[] bytes = spec.toString().getBytes(StandardCharsets.UTF_8);
        return bytes.length <= HistoryBounds.SPEC_BYTES ? bytes : NO_SPEC;
    }
}
