package dev.quiver.bench.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import dev.quiver.bench.ContentCache;
import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;

/**
 * A peer installed in the cache, in a folder named by the content of its sources. The same sources are installed once,
 * changed ones anew, and no file appears in the tree.
 *
 * @param name in the figures
 * @param version of the queue and of its runtime
 * @param folder of the installation
 * @param program its command, without the ports
 */
public record InstalledPeer(String name, String version, Path folder, List<String> program) {

    /** The command that serves against two ports of loopback. */
    public List<String> command(int fillPort, int workPort) {
        List<String> command = new ArrayList<>(program);
        command.add("" + fillPort);
        command.add("" + workPort);
        return command;
    }

    /** All peers, or none in a lab that runs alone. */
    public static List<InstalledPeer> all(Lab lab) throws Exception {
        return lab.alone() ? List.of() : List.of(asynq(lab), bullMq(lab));
    }

    /** BullMQ from the npm registry, run by Node. */
    private static InstalledPeer bullMq(Lab lab) throws Exception {
        String node =
                version(lab, List.of("node", "--version"), "Node 20 or newer (Debian: apt-get install nodejs npm)");
        Path folder = installed(
                lab,
                "bullmq",
                List.of(
                        "npm",
                        "install",
                        "--omit=dev",
                        "--ignore-scripts",
                        "--no-package-lock",
                        "--no-audit",
                        "--no-fund"));
        String version = Files.readAllLines(folder.resolve("package.json")).stream()
                .filter(line -> line.contains("\"bullmq\":"))
                .map(line -> line.replaceAll("[^0-9.]", ""))
                .findFirst()
                .orElse("?");
        return new InstalledPeer("bullmq", "BullMQ " + version + ", Node " + node, folder, List.of("node", "peer.js"));
    }

    /** Asynq from the Go module proxy, built by Go. */
    private static InstalledPeer asynq(Lab lab) throws Exception {
        String go = version(lab, List.of("go", "env", "GOVERSION"), "Go 1.26 or newer");
        Path folder = installed(lab, "asynq", List.of("go", "build", "-trimpath", "-o", "peer", "."));
        String version = Files.readAllLines(folder.resolve("go.mod")).stream()
                .filter(line -> line.startsWith("require github.com/hibiken/asynq "))
                .map(line -> line.substring(line.lastIndexOf(' ') + 1))
                .findFirst()
                .orElse("?");
        return new InstalledPeer("asynq", "asynq " + version + ", " + go, folder, List.of("./peer"));
    }

    private static Path installed(Lab lab, String name, List<String> install) throws Exception {
        Path sources = lab.repository().resolve("e2e/bench/peers").resolve(name);
        List<Path> files;
        try (Stream<Path> all = Files.list(sources)) {
            files = all.filter(Files::isRegularFile).sorted().toList();
        }
        return ContentCache.of(lab, name, files, folder -> {
            for (Path file : files) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
            ContentCache.run(folder, install);
        });
    }

    private static String version(Lab lab, List<String> command, String missing) throws Exception {
        try {
            return ContentCache.run(lab.scratch(), command).strip();
        } catch (IOException absent) {
            throw new MissingPartException("missing for a peer of the benchmarks: " + missing);
        }
    }
}
