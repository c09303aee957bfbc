package dev.quiver.slots;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The memory that a cgroup leaves below its limit; v1 and v2 as they are seen inside a container. Pages of
 * files that were read do not count as used, since the kernel gives them back on demand. A container that reads files
 * fills its limit with them and has room all the same.
 *
 * @param root where cgroups are mounted
 */
record MemoryRoom(Path root) {
    /** The room in the container that this process runs in. */
    static final MemoryRoom OWN = new MemoryRoom(Path.of("/sys/fs/cgroup"));

    private static final long NO_LIMIT = 1L << 60;

    /** Bytes that are left, empty without a limit or when it cannot be read. */
    Optional<Long> bytes() {
        return room(root, "memory.max", "memory.current", List.of("inactive_file", "active_file", "slab_reclaimable"))
                .or(() -> room(
                        root.resolve("memory"),
                        "memory.limit_in_bytes",
                        "memory.usage_in_bytes",
                        List.of("total_inactive_file", "total_active_file")));
    }

    private static Optional<Long> room(Path group, String limitFile, String usageFile, List<String> givenBack) {
        try {
            String limit = Files.readString(group.resolve(limitFile)).strip();
            if (limit.equals("max") || Long.parseUnsignedLong(limit) >= NO_LIMIT) {
                return Optional.empty();
            }
            long usage =
                    Long.parseLong(Files.readString(group.resolve(usageFile)).strip());
            long used = Math.max(0, usage - sum(group.resolve("memory.stat"), givenBack));
            return Optional.of(Math.max(0, Long.parseLong(limit) - used));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** The values of these keys together; 0 without the file, which then counts everything as used. */
    private static long sum(Path statFile, List<String> keys) throws IOException {
        if (!Files.isReadable(statFile)) {
            return 0;
        }
        return Files.readAllLines(statFile).stream()
                .map(line -> line.split(" "))
                .filter(words -> words.length == 2 && keys.contains(words[0]))
                .mapToLong(words -> Long.parseLong(words[1]))
                .sum();
    }
}
