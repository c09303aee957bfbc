package dev.quiver.e2e.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The traces of a local cluster on this machine, seen from outside: they must be gone when it is. */
final class Leftovers {

    private Leftovers() {}

    /**
     * Processes, mounts, cgroups and folders of the run in this folder, and its link, one line each.
     *
     * @param link of {@link #link}
     */
    static List<String> of(Path folder, String link) {
        List<String> found = of(folder);
        if (link(link.split(" ")[0]).equals(link)) {
            found.add("link " + link);
        }
        return found;
    }

    /** A link of this machine: its name and its number, because another cluster may take a name that is free again. */
    static String link(String name) {
        return name + " " + text(Path.of("/sys/class/net", name, "ifindex")).strip();
    }

    /** The same without a link. */
    static List<String> of(Path folder) {
        List<String> found = new ArrayList<>();
        String cgroup = "/quiver/" + folder.getFileName();
        if (Files.exists(folder)) {
            found.add("folder " + folder);
        }
        lines(Path.of("/proc/mounts"))
                .filter(line -> line.contains(folder + "/"))
                .forEach(line -> found.add("mount " + line));
        for (Path process : list(Path.of("/proc"), "[0-9]*")) {
            String command = text(process.resolve("cmdline")).replace('\0', ' ');
            if (command.contains(folder + "/")
                    || text(process.resolve("cgroup")).contains(cgroup + "/")) {
                found.add("process " + process.getFileName() + " " + command);
            }
        }
        for (Path tree : list(Path.of("/sys/fs/cgroup"), "*")) {
            if (Files.exists(Path.of(tree + cgroup))) {
                found.add("cgroup " + tree + cgroup);
            }
        }
        if (Files.exists(Path.of("/sys/fs/cgroup" + cgroup))) {
            found.add("cgroup " + cgroup);
        }
        return found;
    }

    private static List<Path> list(Path folder, String glob) {
        try (var entries = Files.newDirectoryStream(folder, glob)) {
            List<Path> paths = new ArrayList<>();
            entries.forEach(paths::add);
            return paths;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Stream<String> lines(Path file) {
        return text(file).lines();
    }

    private static String text(Path file) {
        try {
            return new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            return ""; // the process has ended meanwhile
        }
    }
}
