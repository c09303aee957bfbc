package dev.quiver.bench.process;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Starts classes of this class path as JVMs of their own. */
public final class Java {

    private static final List<String> SMALL =
            List.of("-XX:+UseSerialGC", "-Xmx96m", "--enable-native-access=ALL-UNNAMED");

    private Java() {}

    /**
     * The command line of a main class.
     *
     * @param flags for the JVM; none means a small heap and the serial collector
     */
    public static List<String> command(Class<?> main, List<String> flags, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(flags.isEmpty() ? SMALL : flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return command;
    }
}
