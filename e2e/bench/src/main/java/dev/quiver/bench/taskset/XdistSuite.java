package dev.quiver.bench.taskset;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import io.fabric8.kubernetes.client.utils.Serialization;

import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Lab;
import dev.quiver.bench.peer.InstalledPeer;

/** The same suite by pytest-xdist, on this machine: its tests sleep, so they share no processor with anybody. */
record XdistSuite(Lab lab, InstalledPeer xdist) {

    /**
     * Runs the suite.
     *
     * @param dist {@code load} or {@code worksteal}
     * @param workers processes, each of one test at a time
     * @param slow so many of them are the slow worker's
     * @return seconds from the first test's begin to the last one's end; the start of pytest is not counted
     */
    double run(Suite suite, String dist, int workers, int slow, Slow how, double ideal) throws Exception {
        Path notes = Files.createTempFile(lab.scratch(), "xdist", ".txt");
        List<String> slowOnes = how == Slow.NONE
                ? List.of()
                : IntStream.range(0, slow).mapToObj(i -> "gw" + i).toList();
        String json = Serialization.asJson(Map.of(
                "seconds", Arrays.stream(suite.seconds()).boxed().toList(),
                "slow", slowOnes,
                "factor", how.factor,
                "from", how.from(ideal),
                "notes", notes.toString()));
        ContentCache.run(
                xdist.folder(),
                List.of(
                        "python3",
                        "-m",
                        "pytest",
                        "-q",
                        "-p",
                        "no:cacheprovider",
                        "-n",
                        "" + workers,
                        "--dist",
                        dist,
                        "test_suite.py"),
                Map.of(
                        "SUITE",
                        json,
                        "PYTHONPATH",
                        xdist.folder().resolve("lib").toString()));
        List<double[]> times = new ArrayList<>();
        for (String line : Files.readAllLines(notes)) {
            times.add(Arrays.stream(line.split(" "))
                    .mapToDouble(Double::parseDouble)
                    .toArray());
        }
        if (times.size() != suite.seconds().length) {
            throw new IllegalStateException("pytest-xdist ran " + times.size() + " tests");
        }
        double first = times.stream().mapToDouble(each -> each[0]).min().orElseThrow();
        return times.stream().mapToDouble(each -> each[1]).max().orElseThrow() - first;
    }
}
