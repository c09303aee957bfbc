package dev.quiver.bench.mapreduce;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import dev.quiver.bench.Lab;
import dev.quiver.bench.process.Peak;
import dev.quiver.bench.process.ProcessMemory;

/** The example of phrases by one process, or by Dask. */
final class PhrasesPeer {

    private static final ObjectMapper JSON = new ObjectMapper();

    private PhrasesPeer() {}

    /**
     * The end of a run.
     *
     * @param peakMiB of the memory of all processes
     * @param phrases as JSON
     */
    record Run(double seconds, double peakMiB, String phrases) {}

    /** With so many workers of Dask; 0: without Dask. */
    static Run run(Lab lab, PhrasesHandlers handlers, int workers) throws Exception {
        ProcessBuilder builder = new ProcessBuilder(List.of(
                        "python3",
                        "peer.py",
                        "" + workers,
                        "" + lab.pace().tasks().readings()))
                .directory(handlers.folder().toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD);
        builder.environment().putAll(handlers.environment());
        Process process = builder.start();
        try (BufferedReader answers = process.inputReader(StandardCharsets.UTF_8);
                BufferedWriter commands = process.outputWriter(StandardCharsets.UTF_8)) {
            line(answers);
            commands.write("go\n");
            commands.flush();
            Peak<String> peak = Peak.of(() -> line(answers), () -> ProcessMemory.pssMiBOfAll(process.pid()));
            JsonNode it = JSON.readTree(peak.value());
            return new Run(
                    it.get("seconds").asDouble(), peak.most(), it.get("phrases").toString());
        } finally {
            if (!process.waitFor(20, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
    }

    private static String line(BufferedReader answers) throws IOException {
        String line = answers.readLine();
        if (line == null) {
            throw new IOException("the peer of the phrases has ended");
        }
        return line;
    }
}
