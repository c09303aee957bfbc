package dev.quiver.slots;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MemoryRoomTest {
    @TempDir
    private Path root;

    private MemoryRoom memory;

    @BeforeEach
    void look() {
        memory = new MemoryRoom(root);
    }

    private void write(String file, String text) throws IOException {
        Files.createDirectories(root.resolve(file).getParent());
        Files.writeString(root.resolve(file), text + "\n");
    }

    @Test
    void countsPagesOfFilesAsRoomInVersionTwo() throws IOException {
        write("memory.max", "1000");
        write("memory.current", "990");
        assertThat(memory.bytes()).contains(10L);
        write("memory.stat", "anon 100\nfile 800\ninactive_file 500\nactive_file 200\nslab_reclaimable 30\nshmem 100");
        assertThat(memory.bytes()).contains(740L);
    }

    @Test
    void countsPagesOfFilesAsRoomInVersionOne() throws IOException {
        write("memory/memory.limit_in_bytes", "1000");
        write("memory/memory.usage_in_bytes", "990");
        assertThat(memory.bytes()).contains(10L);
        write(
                "memory/memory.stat",
                "cache 800\ninactive_file 1\nactive_file 1\ntotal_inactive_file 500\ntotal_active_file 200");
        assertThat(memory.bytes()).contains(710L);
    }

    @Test
    void neverLeavesMoreThanTheLimitNorLessThanNothing() throws IOException {
        write("memory.max", "1000");
        write("memory.current", "1200");
        assertThat(memory.bytes()).contains(0L);
        write("memory.stat", "inactive_file 5000");
        assertThat(memory.bytes()).contains(1000L);
    }

    @Test
    void knowsNothingWithoutALimit() throws IOException {
        assertThat(memory.bytes()).isEmpty();
        write("memory.max", "max");
        write("memory.current", "990");
        assertThat(memory.bytes()).isEmpty();
        Files.delete(root.resolve("memory.max"));
        write("memory/memory.limit_in_bytes", "9223372036854771712");
        write("memory/memory.usage_in_bytes", "990");
        assertThat(memory.bytes()).isEmpty();
    }
}
