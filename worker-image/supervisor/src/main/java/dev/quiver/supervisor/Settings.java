package dev.quiver.supervisor;

import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import dev.quiver.supervisor.packs.HistoryAddress;

/**
 * The settings that the operator gives a supervisor with its pod.
 *
 * @param pool name of the WorkerPool
 * @param poolUid its uid
 * @param podName this pod
 * @param podUid its uid; a new supervisor succeeds the session that the same uid had before
 * @param node where the pod runs
 * @param keyspacePrefix prefix of every key, for example <code>quiver:{team-a}:</code>
 * @param slots tasks at a time, 1 … 64
 * @param inputBytes input region of each slot
 * @param outputBytes output file of each slot
 * @param drain how long running tasks may go on once a drain has begun
 * @param inDirectory volume written by the supervisor, read by the agent
 * @param outDirectory volume written by the agent, read by the supervisor
 * @param wholeDirectory volume on a disk for all that tasks print, written by the agent; absent where there is none
 * @param redisDirectory the mounted Secret {@code quiver-redis}
 * @param history where large results go; absent where nobody takes them
 * @param httpAddress where probes and metrics are served; port 0 takes a free one
 */
public record Settings(
        String pool,
        String poolUid,
        String podName,
        String podUid,
        String node,
        String keyspacePrefix,
        int slots,
        long inputBytes,
        long outputBytes,
        Duration drain,
        Path inDirectory,
        Path outDirectory,
        Optional<Path> wholeDirectory,
        Path redisDirectory,
        Optional<HistoryAddress> history,
        InetSocketAddress httpAddress) {

    /**
     * Reads the settings from environment variables.
     *
     * @throws SettingsException naming the variable and its value when one is missing or out of bounds
     */
    public static Settings from(Map<String, String> environment) {
        Reader read = new Reader(environment);
        return new Settings(
                read.text("QUIVER_POOL"),
                read.text("QUIVER_POOL_UID"),
                read.text("QUIVER_POD_NAME"),
                read.text("QUIVER_POD_UID"),
                read.optional("QUIVER_NODE").orElse(""),
                read.prefix("QUIVER_KEYSPACE_PREFIX"),
                (int) read.number("QUIVER_SLOTS", 1, 64),
                read.number("QUIVER_INPUT_BYTES", 1, 1L << 40),
                read.number("QUIVER_OUTPUT_BYTES", 1, 1L << 40),
                Duration.ofSeconds(read.number("QUIVER_DRAIN_SECONDS", 0, 3600)),
                read.path("QUIVER_IN", "/quiver/in"),
                read.path("QUIVER_OUT", "/quiver/out"),
                read.optional("QUIVER_WHOLE").map(Path::of),
                read.path("QUIVER_REDIS", "/quiver/redis"),
                read.history(),
                new InetSocketAddress(read.optional("QUIVER_HTTP_HOST").orElse("0.0.0.0"), (int)
                        read.number("QUIVER_HTTP_PORT", 0, 65535, 9464)));
    }

    private record Reader(Map<String, String> environment) {

        Optional<String> optional(String name) {
            return Optional.ofNullable(environment.get(name)).filter(value -> !value.isBlank());
        }

        String text(String name) {
            return optional(name).orElseThrow(() -> new SettingsException(name + " is not set"));
        }

        Path path(String name, String otherwise) {
            return Path.of(optional(name).orElse(otherwise));
        }

        Optional<HistoryAddress> history() {
            return optional("QUIVER_HISTORY_URL").map(url -> {
                if (!url.startsWith("https://")) {
                    throw new SettingsException("QUIVER_HISTORY_URL=" + url + " must begin with https://");
                }
                return new HistoryAddress(
                        URI.create(url),
                        path("QUIVER_HISTORY_TOKEN", "/quiver/history/token"),
                        optional("QUIVER_HISTORY_CA").map(Path::of));
            });
        }

        String prefix(String name) {
            String value = text(name);
            if (!value.endsWith(":")) {
                throw new SettingsException(name + "=" + value + " must end with ':'");
            }
            return value;
        }

        long number(String name, long least, long most, long otherwise) {
            return optional(name).isEmpty() ? otherwise : number(name, least, most);
        }

        long number(String name, long least, long most) {
            String value = text(name);
            try {
                long number = Long.parseLong(value);
                if (number >= least && number <= most) {
                    return number;
                }
            } catch (NumberFormatException notANumber) {
                throw new SettingsException(name + "=" + value + " is not a whole number");
            }
            throw new SettingsException(name + "=" + value + " is not between " + least + " and " + most);
        }
    }
}
