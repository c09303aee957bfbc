package dev.quiver.e2e.images;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The runtimes that jlink makes hold the modules that the jars need, and no others. */
class RuntimeModulesIT {
    private static final Path ROOT = Path.of("").toAbsolutePath().getParent();

    /**
     * Needed by parts of libraries that we do not use. These are beans of Jackson, SnakeYAML, commons-lang3 and
     * Micrometer's Swing binders (java.desktop), and JOSDK's annotation processor (java.compiler). PostgreSQL's driver
     * has Kerberos (java.security.jgss) and its own beans. They are looked for at run time and done without.
     */
    private static final Set<String> LEFT_OUT = Set.of("java.desktop", "java.compiler", "java.security.jgss");

    /** The same of a program without a database: binders of Micrometer and beans of Jackson. */
    private static final String DATABASES = "java.sql";

    /** Found by name at run time, which jdeps does not see: Lettuce sets TCP keepalive through jdk.net. */
    private static final Set<String> BY_NAME = Set.of("jdk.net");

    @ParameterizedTest
    @CsvSource({
        "operator, operator/controller operator/history, ''",
        "worker-image, worker-image/supervisor, " + DATABASES
    })
    void listOfModulesIsWhatTheJarsNeed(String context, String modules, String without) throws IOException {
        Set<String> needed = new TreeSet<>(BY_NAME);
        for (String module : modules.split(" ")) {
            Path target = ROOT.resolve(module).resolve("target");
            Assumptions.assumeTrue(
                    Files.isDirectory(target.resolve("lib")),
                    module + "/target/lib is missing: 'mvn package' makes it");
            needed.addAll(modulesOf(target.resolve("lib"), jars(target)));
        }
        needed.removeAll(LEFT_OUT);
        needed.remove(without);
        assertThat(listed(ROOT.resolve(context).resolve("image/modules")))
                .as("%s/image/modules against jdeps; write the modules that are missing there, one a line", context)
                .isEqualTo(needed);
    }

    private static List<String> jars(Path target) throws IOException {
        List<String> jars = new ArrayList<>();
        for (String jar : Files.readString(target.resolve("classpath")).strip().split(":")) {
            jars.add(target.resolve("lib").resolve(Path.of(jar).getFileName()).toString());
        }
        try (Stream<Path> own = Files.list(target)) {
            own.map(Path::toString)
                    .filter(jar -> jar.matches(".*/quiver-[a-z]+-[0-9.]+\\.jar"))
                    .forEach(jars::add);
        }
        return jars;
    }

    /** A library that is a module names others, which jdeps looks for among modules alone. */
    private static Set<String> modulesOf(Path libraries, List<String> jars) {
        List<String> arguments = new ArrayList<>(List.of(
                "--ignore-missing-deps", "--multi-release", "25", "-summary", "--module-path", libraries.toString()));
        arguments.addAll(jars);
        StringWriter out = new StringWriter();
        StringWriter err = new StringWriter();
        int status = ToolProvider.findFirst("jdeps")
                .orElseThrow()
                .run(new PrintWriter(out), new PrintWriter(err), arguments.toArray(String[]::new));
        assertThat(status).as(err.toString()).isZero();
        Matcher module = Pattern.compile("-> (java\\.[a-z.]+|jdk\\.[a-z.]+)$", Pattern.MULTILINE)
                .matcher(out.toString());
        return module.results().map(result -> result.group(1)).collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> listed(Path file) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.map(String::strip)
                    .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                    .collect(Collectors.toCollection(TreeSet::new));
        }
    }
}
