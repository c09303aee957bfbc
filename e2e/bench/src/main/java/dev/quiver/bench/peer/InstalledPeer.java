package dev.quiver.bench.peer;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A peer installed in the cache.
 *
 * @param name in the figures
 * @param version of the queue and of its runtime
 * @param folder of the installation
 * @param program its command, without the ports
 * @param guess tasks a second that it takes, before it was measured
 */
public record InstalledPeer(String name, String version, Path folder, List<String> program, double guess) {

    /** The command that serves against two ports of loopback. */
    public List<String> command(int fillPort, int workPort) {
        List<String> command = new ArrayList<>(program);
        command.add("" + fillPort);
        command.add("" + workPort);
        return command;
    }
}
