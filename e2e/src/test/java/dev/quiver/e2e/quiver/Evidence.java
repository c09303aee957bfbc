package dev.quiver.e2e.quiver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The things that a person would look at when something went wrong, kept in files. */
record Evidence(Installation installation, Space space) {

    void keep(Path folder) {
        try {
            Files.createDirectories(folder);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Kubectl here = space.kubectl();
        Kubectl system = installation.kubectl();
        keep(
                folder,
                "resources.txt",
                here,
                "get",
                "tset,qtask,mrj,wpool,pods,events",
                "-o",
                "wide",
                "--ignore-not-found");
        keep(
                folder,
                "resources.yaml",
                here,
                "get",
                "tset,qtask,mrj,wpool,pods",
                "-o",
                "yaml",
                "--show-managed-fields=false");
        keep(folder, "describe.txt", here, "describe", "tset,qtask,mrj,wpool,pods");
        keep(folder, "system.txt", system, "get", "pods,leases,configmaps,events", "-o", "wide");
        keep(folder, "operator.log", system, "logs", Installation.OPERATOR, "--all-containers", "--timestamps");
        keep(folder, "operator-before.log", system, "logs", Installation.OPERATOR, "-c", "operator", "--previous");
        keep(folder, "redis.log", system, "logs", Installation.REDIS, "--tail", "500", "--timestamps");
        space.pods().forEach(pod -> {
            String name = pod.getMetadata().getName();
            keep(folder, name + ".log", here, "logs", name, "--all-containers", "--prefix", "--timestamps");
            keep(folder, name + "-before.log", here, "logs", name, "-c", "quiver-supervisor", "--previous");
        });
        keep(folder, "keys.txt", () -> String.join("\n", installation.redis().keysWith("{" + space.name())));
    }

    private static void keep(Path folder, String file, Kubectl kubectl, String... words) {
        keep(folder, file, () -> kubectl.run(words));
    }

    private static void keep(Path folder, String file, java.util.function.Supplier<String> text) {
        try {
            Files.writeString(folder.resolve(file), said(text));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String said(java.util.function.Supplier<String> text) {
        try {
            return text.get();
        } catch (IllegalStateException e) {
            return String.valueOf(e.getMessage()); // that it is not there is evidence too
        }
    }
}
