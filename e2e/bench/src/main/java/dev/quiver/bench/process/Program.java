package dev.quiver.bench.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;

/**
 * One of our programs, started as its image starts it: the same jars in the same order, the same JVM options. It has an
 * AOT cache where one was trained. Only the runtime differs: the JDK that builds the project instead of its jlinked
 * part.
 *
 * @param main its main class
 * @param jars class path in order
 * @param options JVM options of the image
 * @param aotCache trained for exactly these jars and options
 */
public record Program(String main, List<Path> jars, List<String> options, Optional<Path> aotCache) {

    /** The memory limit that the chart sets on the operator: its heap is a share of it. */
    private static final String CHART_LIMIT = "-XX:MaxRAM=512m";

    /** The same of history. */
    private static final String HISTORY_LIMIT = "-XX:MaxRAM=384m";

    /** The supervisor, as built in the tree. */
    public static Program supervisor(Lab lab) throws Exception {
        return built(
                lab, "worker-image/image/options", "worker-image/supervisor", "dev.quiver.supervisor.Main", List.of());
    }

    /** The operator, as built in the tree. */
    public static Program operator(Lab lab) throws Exception {
        return built(
                lab,
                "operator/image/options",
                "operator/controller",
                "dev.quiver.controller.Main",
                List.of(CHART_LIMIT));
    }

    /** The record's program, as built in the tree. Its library of SQLite is unpacked from the jar: the image lays it out. */
    public static Program history(Lab lab) throws Exception {
        return built(
                lab,
                "operator/image/options-history",
                "operator/history",
                "dev.quiver.history.Main",
                List.of(HISTORY_LIMIT));
    }

    private static Program built(Lab lab, String itsOptions, String module, String main, List<String> more)
            throws IOException, MissingPartException {
        Path target = lab.repository().resolve(module).resolve("target");
        Path classpath = target.resolve("classpath");
        if (!Files.exists(classpath)) {
            throw new MissingPartException(module + " is not built: mvn package -pl e2e/bench -am");
        }
        List<Path> jars = new ArrayList<>();
        try (Stream<Path> files = Files.list(target)) {
            files.filter(file -> file.getFileName().toString().matches("quiver-[a-z]+-[0-9.]+\\.jar"))
                    .forEach(jars::add);
        }
        Arrays.stream(Files.readString(classpath).strip().split(":"))
                .map(jar -> target.resolve("lib").resolve(Path.of(jar).getFileName()))
                .forEach(jars::add);
        List<String> options = new ArrayList<>(more);
        Files.readAllLines(lab.repository().resolve(itsOptions)).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .forEach(options::add);
        return new Program(main, List.copyOf(jars), List.copyOf(options), Optional.empty());
    }

    /** The same with an AOT cache. */
    public Program with(Path cache) {
        return new Program(main, jars, options, Optional.of(cache));
    }

    /** The same with a folder of classes and resources before its jars; an AOT cache would not fit any more. */
    public Program before(Path folder) {
        List<Path> more = new ArrayList<>(List.of(folder));
        more.addAll(jars);
        return new Program(main, List.copyOf(more), options, Optional.empty());
    }

    /** The same, which writes an AOT cache when it ends, without profiles of methods, as for the images. */
    Program recording(Path cache) {
        List<String> more = new ArrayList<>(options);
        more.addAll(List.of("-XX:AOTCacheOutput=" + cache, "-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTRecordTraining"));
        return new Program(main, jars, List.copyOf(more), Optional.empty());
    }

    /** Its command line. */
    public List<String> command() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        aotCache.ifPresent(cache -> command.addAll(List.of("-XX:AOTCache=" + cache, "-XX:AOTMode=on")));
        command.addAll(options);
        command.addAll(List.of(
                "-cp",
                String.join(
                        File.pathSeparator, jars.stream().map(Path::toString).toList())));
        command.add(main);
        return command;
    }
}
