package dev.quiver.e2e.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * The local cluster of real parts (e2e/cluster/cluster), bound to this JVM: when the JVM ends, however it ends, the
 * cluster goes with it.
 */
public final class LocalCluster implements Cluster {

    /**
     * The lock of the test classes that start local clusters and count seconds on them. Two at once starve each other,
     * and the second may get the addresses that the first has just given back and looks for.
     */
    static final String LOCK = "local clusters";

    private final String name;
    private final Access access;

    private LocalCluster(String name, Path kubeconfig) {
        this.name = name;
        this.access = Access.of(kubeconfig);
    }

    /** The things that this machine lacks to run one, one thing each; empty when it can. */
    public static List<String> missing() {
        return script("check").lines().toList();
    }

    /** A node that says nothing for so long is lost: short, for tests that lose nodes. */
    static final Duration SHORT_GRACE = Duration.ofSeconds(12);

    /** Longer than a busy machine keeps a healthy node from saying that it lives. */
    static final Duration LONG_GRACE = Duration.ofMinutes(2);

    /**
     * Starts a cluster of two nodes and returns when both are Ready: about 10 s, minutes when its parts have to be
     * built first.
     *
     * @param purpose a word of its name, which is unique to this JVM and purpose
     * @param grace after which a node that says nothing is lost
     */
    static LocalCluster start(String purpose, Duration grace) {
        String owner = Long.toString(ProcessHandle.current().pid());
        String name = "test-" + owner + "-" + purpose;
        return new LocalCluster(
                name, Path.of(script("up", name, "--owner", owner, "--grace", Long.toString(grace.toSeconds()))));
    }

    /** The name under which the script knows it. */
    public String name() {
        return name;
    }

    /** The folder of this run, which holds everything that it writes. */
    public Path folder() {
        return kubeconfig().getParent();
    }

    @Override
    public String description() {
        return "local cluster " + name;
    }

    @Override
    public Access access() {
        return access;
    }

    @Override
    public void loadImages(List<Path> archives) {
        script(Stream.concat(Stream.of("load", name), archives.stream().map(Path::toString))
                .toArray(String[]::new));
    }

    @Override
    public Failures failures() {
        return new ScriptFailures();
    }

    @Override
    public void collectLogs(Path folder) {
        script("logs", name, folder.toString());
    }

    @Override
    public void close() {
        client().close();
        script("down", name);
    }

    private static String script(String... words) {
        return Command.of(Stream.concat(Stream.of(Repository.script("cluster").toString()), Stream.of(words))
                        .toArray(String[]::new))
                .within(Duration.ofMinutes(30))
                .run();
    }

    private final class ScriptFailures implements Failures {

        @Override
        public void killNode(String node) {
            onNode("kill-node", node);
        }

        @Override
        public void startNode(String node) {
            onNode("start-node", node);
        }

        @Override
        public void pauseNode(String node) {
            onNode("pause-node", node);
        }

        @Override
        public void resumeNode(String node) {
            onNode("resume-node", node);
        }

        @Override
        public void cutNode(String node) {
            onNode("cut-node", node);
        }

        @Override
        public void mendNode(String node) {
            onNode("mend-node", node);
        }

        @Override
        public void stopPart(String part) {
            script("stop", name, part);
        }

        @Override
        public void startPart(String part) {
            script("start", name, part);
        }

        private void onNode(String action, String node) {
            script(action, name, node.replaceFirst("^node-", ""));
        }
    }
}
