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
 * Installs peers into the cache, each in a folder named by the content of its sources. The same sources are installed
 * once, changed ones anew, and no file appears in the tree.
 */
final class Installations {

    private static final List<String> NPM =
            List.of("npm", "install", "--omit=dev", "--ignore-scripts", "--no-package-lock", "--no-audit", "--no-fund");
    private static final List<String> PIP = List.of(
            "python3",
            "-m",
            "pip",
            "install",
            "-q",
            "--disable-pip-version-check",
            "--root-user-action=ignore",
            "--target",
            "lib",
            "-r",
            "requirements.txt");

    private Installations() {}

    /** A package of the npm registry, with the lines that the peers in Node share. */
    static InstalledPeer node(Lab lab, String name, String title, double guess) throws Exception {
        String node =
                version(lab, List.of("node", "--version"), "Node 20 or newer (Debian: apt-get install nodejs npm)");
        Path folder = installed(lab, name, NPM, peers(lab).resolve("protocol.js"));
        String version = pinned(folder.resolve("package.json"), "\"" + name + "\":");
        return new InstalledPeer(
                name, title + " " + version + ", Node " + node, folder, List.of("node", "peer.js"), guess);
    }

    static InstalledPeer asynq(Lab lab) throws Exception {
        String go = version(lab, List.of("go", "env", "GOVERSION"), "Go 1.26 or newer");
        Path folder = installed(lab, "asynq", List.of("go", "build", "-trimpath", "-o", "peer", "."));
        String version = pinned(folder.resolve("go.mod"), "require github.com/hibiken/asynq ");
        return new InstalledPeer("asynq", "asynq " + version + ", " + go, folder, List.of("./peer"), 15_000);
    }

    static InstalledPeer celery(Lab lab) throws Exception {
        String python = version(
                lab,
                List.of("python3", "-c", "import pip, platform; print(platform.python_version())"),
                "Python 3.9 or newer with pip (Debian: apt-get install python3-pip)");
        Path folder = installed(lab, "celery", PIP);
        String version = pinned(folder.resolve("requirements.txt"), "celery==");
        String title = "Celery " + version + " (prefork), Python " + python;
        return new InstalledPeer("celery", title, folder, List.of("python3", "peer.py"), 1_500);
    }

    static InstalledPeer dask(Lab lab) throws Exception {
        String python = version(
                lab,
                List.of("python3", "-c", "import pip, platform; print(platform.python_version())"),
                "Python 3.10 or newer with pip (Debian: apt-get install python3-pip)");
        Path folder = installed(lab, "dask", PIP);
        String version = pinned(folder.resolve("requirements.txt"), "distributed==");
        return new InstalledPeer(
                "dask", "Dask " + version + ", Python " + python, folder, List.of("python3", "peer.py"), 0);
    }

    static InstalledPeer xdist(Lab lab) throws Exception {
        String python = version(
                lab,
                List.of("python3", "-c", "import pip, platform; print(platform.python_version())"),
                "Python 3.10 or newer with pip (Debian: apt-get install python3-pip)");
        Path folder = installed(lab, "xdist", PIP);
        String version = pinned(folder.resolve("requirements.txt"), "pytest-xdist==");
        return new InstalledPeer(
                "xdist", "pytest-xdist " + version + ", Python " + python, folder, List.of("python3"), 0);
    }

    private static Path peers(Lab lab) {
        return lab.repository().resolve("e2e/bench/peers");
    }

    private static Path installed(Lab lab, String name, List<String> install, Path... shared) throws Exception {
        List<Path> files = new ArrayList<>(List.of(shared));
        try (Stream<Path> all = Files.list(peers(lab).resolve(name))) {
            all.filter(Files::isRegularFile).sorted().forEach(files::add);
        }
        return ContentCache.of(lab, name, files, folder -> {
            for (Path file : files) {
                Files.copy(file, folder.resolve(file.getFileName()));
            }
            ContentCache.run(folder, install);
        });
    }

    /** The version behind these words of a file. */
    private static String pinned(Path file, String words) throws IOException {
        return Files.readAllLines(file).stream()
                .filter(line -> line.contains(words))
                .map(line ->
                        line.substring(line.indexOf(words) + words.length()).replaceAll("[^0-9.]", ""))
                .findFirst()
                .orElse("?");
    }

    private static String version(Lab lab, List<String> command, String missing) throws Exception {
        try {
            return ContentCache.run(lab.scratch(), command).strip();
        } catch (IOException absent) {
            throw new MissingPartException("missing for a peer of the benchmarks: " + missing);
        }
    }
}
