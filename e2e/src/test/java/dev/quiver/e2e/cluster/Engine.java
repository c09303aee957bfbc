package dev.quiver.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Podman's service in namespaces of its own ({@code e2e/cluster/cluster engine}), which Testcontainers takes for Docker's.
 * It ends with its owner, a process, however that one ends.
 */
final class Engine implements AutoCloseable {

    private final String name;
    private final Path folder;

    /** The engine of this JVM for a purpose, whoever starts it. */
    Engine(String purpose) {
        this.name = name(purpose);
        this.folder = Path.of(
                        Optional.ofNullable(System.getenv("QUIVER_CLUSTERS")).orElse("/var/lib/quiver/runs"))
                .resolve(name);
    }

    /** The things that this machine lacks to run one, one thing each; empty when it can. */
    static List<String> missing() {
        return script("check", "engine").lines().toList();
    }

    /** A name that is unique to this JVM and purpose. */
    static String name(String purpose) {
        return "test-" + ProcessHandle.current().pid() + "-" + purpose;
    }

    /** Starts one that ends with a process. */
    static Engine start(String purpose, ProcessHandle owner) {
        Engine engine = new Engine(purpose);
        script("engine", engine.name, "--owner", Long.toString(owner.pid()));
        return engine;
    }

    /** The folder of this run, which holds everything that it writes. */
    Path folder() {
        return folder;
    }

    /** The address at which the host finds the ports that containers publish. */
    String address() {
        return network()[1] + ".0.2";
    }

    /** Its link to the host, as {@link Leftovers#link} has it. */
    String link() {
        return Leftovers.link(network()[0]);
    }

    private String[] network() {
        try {
            return Files.readString(folder.resolve("network")).strip().split(" ");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void load(List<Path> archives) {
        script(Stream.concat(Stream.of("load", name), archives.stream().map(Path::toString))
                .toArray(String[]::new));
    }

    /** Asks the service as anybody's podman does. */
    String podman(String... words) {
        return Command.of(Stream.concat(
                                Stream.of("podman", "--url", "unix://" + folder.resolve("podman.sock")),
                                Stream.of(words))
                        .toArray(String[]::new))
                .run();
    }

    /** A process of the run by the name of its record: {@code watch}, or {@code engine/holder}. */
    ProcessHandle process(String record) {
        try {
            String pid = Files.readString(folder.resolve(record)).split(" ")[0];
            return ProcessHandle.of(Long.parseLong(pid)).orElseThrow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Removes what crashed runs have left, as the start of the next one does. */
    static void sweep() {
        script("sweep");
    }

    @Override
    public void close() {
        script("down", name);
    }

    /**
     * The traces that podman leaves on a machine where it has no namespaces of its own: forwarding, bridges, and chains of
     * the firewall.
     */
    static List<String> machine() {
        List<String> found = new ArrayList<>();
        try (Stream<Path> links = Files.list(Path.of("/sys/class/net"))) {
            found.add("ip_forward "
                    + Files.readString(Path.of("/proc/sys/net/ipv4/ip_forward")).strip());
            links.map(link -> link.getFileName().toString())
                    .filter(link -> link.matches("(cni-)?podman.*"))
                    .sorted()
                    .forEach(link -> found.add("link " + link));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Command.of("nft", "--stateless", "list", "ruleset")
                .run()
                .lines()
                .filter(line -> line.contains("CNI-") || line.contains("NETAVARK"))
                .forEach(found::add);
        return found;
    }

    private static String script(String... words) {
        return Command.of(Stream.concat(Stream.of(Repository.script("cluster").toString()), Stream.of(words))
                        .toArray(String[]::new))
                .within(Duration.ofMinutes(5))
                .run();
    }
}
