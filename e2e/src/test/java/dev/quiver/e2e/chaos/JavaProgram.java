package dev.quiver.e2e.chaos;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

import dev.quiver.e2e.cluster.Repository;

/**
 * The jars of the program that creates tasks by the client for Java. They are the client, and the program itself, which is
 * one of the client's tests. The build has made both. All else that they need is in the image of workers.
 */
record JavaProgram(Path client, Path program) {

    /** Its class with the main method. */
    static final String MAIN = "dev.quiver.client.SteadyProgram";

    private static final Path TARGET = Repository.root().resolve("worker-image/sdk/client/java/target");

    /**
     * Finds what was built, and packs the program.
     *
     * @param folder for the program's jar
     * @throws IllegalStateException naming what is not there yet
     */
    static JavaProgram packed(Path folder) {
        try {
            return new JavaProgram(clientJar(), pack(folder.resolve("program.jar")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path clientJar() throws IOException {
        try (Stream<Path> files = Files.isDirectory(TARGET) ? Files.list(TARGET) : Stream.empty()) {
            return files.filter(file -> file.getFileName().toString().matches("quiver-client-[0-9.]+\\.jar"))
                    .findFirst()
                    .orElseThrow(() -> missing("the jar of the client"));
        }
    }

    private static Path pack(Path jar) throws IOException {
        Path classes = TARGET.resolve("test-classes");
        Path main = classes.resolve(MAIN.replace('.', '/') + ".class");
        if (!Files.isRegularFile(main)) {
            throw missing("the class " + MAIN);
        }
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file)) {
            for (Path part : parts(main)) {
                out.putNextEntry(new JarEntry(classes.relativize(part).toString()));
                Files.copy(part, out);
            }
        }
        return jar;
    }

    /** The class and those inside it. */
    private static List<Path> parts(Path main) throws IOException {
        String name = main.getFileName().toString().replace(".class", "");
        try (Stream<Path> files = Files.list(main.getParent())) {
            return files.filter(file -> file.getFileName().toString().matches(name + "(\\$.*)?\\.class"))
                    .toList();
        }
    }

    private static IllegalStateException missing(String what) {
        return new IllegalStateException("missing: " + what + " below " + TARGET + "; 'mvn package' builds it");
    }
}
