package dev.quiver.slots;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** What the container's cgroup leaves below its memory limit; v1 and v2 as they are seen inside a container. */
final class MemoryRoom {
    private static final Path ROOT = Path.of("/sys/fs/cgroup");
    private static final long NO_LIMIT = 1L << 60;

    private MemoryRoom() {}

    /** Bytes that are left, empty without a limit or when it cannot be read. */
    static Optional<Long> bytes() {
        return room(ROOT.resolve("memory.max"), ROOT.resolve("memory.current"))
                .or(() -> room(
                        ROOT.resolve("memory/memory.limit_in_bytes"), ROOT.resolve("memory/memory.usage_in_bytes")));
    }

    private static Optional<Long> room(Path limitFile, Path usageFile) {
        try {
            String limit = Files.readString(limitFile).strip();
            if (limit.equals("max") || Long.parseUnsignedLong(limit) >= NO_LIMIT) {
                return Optional.empty();
            }
            long usage = Long.parseLong(Files.readString(usageFile).strip());
            return Optional.of(Math.max(0, Long.parseLong(limit) - usage));
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }
}
