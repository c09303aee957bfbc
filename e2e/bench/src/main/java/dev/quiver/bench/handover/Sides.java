package dev.quiver.bench.handover;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import dev.quiver.bench.Lab;
import dev.quiver.bench.MissingPartException;
import dev.quiver.bench.process.Java;
import dev.quiver.bench.quiver.NoopHandler;

/** The programs on the other side, built where necessary. */
public final class Sides {

    private Sides() {}

    static List<Side> all(Lab lab) throws Exception {
        return List.of(c(lab), java(), python(lab));
    }

    private static Side c(Lab lab) throws Exception {
        return new Side("C", List.of(NoopHandler.built(lab).toString()), Map.of(), false);
    }

    private static Side java() {
        List<String> flags = List.of(
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-XX:MaxDirectMemorySize=256m",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow");
        return new Side("Java", Java.command(JavaSide.class, flags, List.of()), Map.of(), true);
    }

    static Side python(Lab lab) throws Exception {
        return python(lab, "touch.py");
    }

    /** A script of {@code e2e/bench/handlers} in Python with the SDK and pyarrow. */
    public static Side python(Lab lab, String name) throws Exception {
        Path sdk = lab.repository().resolve("worker-image/sdk/python");
        Process asked = new ProcessBuilder(sdk.resolve("environment").toString())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String python = new String(asked.getInputStream().readAllBytes()).strip();
        if (asked.waitFor() != 0) {
            throw new MissingPartException(
                    "Python with pyarrow cannot be made ready (Debian: apt-get install python3-venv)");
        }
        Path script = lab.repository().resolve("e2e/bench/handlers/" + name);
        return new Side(
                "Python",
                List.of(python, script.toString()),
                Map.of("PYTHONPATH", sdk.resolve("src").toString(), "PYTHONDONTWRITEBYTECODE", "1"),
                true);
    }
}
