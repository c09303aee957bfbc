package dev.quiver.slots;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.slots.layout.ControlDescriptor;
import dev.quiver.slots.linux.Descriptor;
import dev.quiver.slots.linux.LinuxException;

/**
 * Lays out the volume {@code in}: allocates every file in full, writes the header, maps. The user's side cannot write
 * here, so the files can be mapped for writing without fear.
 */
final class RegionFiles {
    private static final Logger LOG = LoggerFactory.getLogger(RegionFiles.class);
    private static final String CONTROL = "control";
    private static final String NEW_CONTROL = "control.new";

    private final Path in;
    private final Geometry geometry;

    RegionFiles(Path in, Geometry geometry) {
        this.in = in;
        this.geometry = geometry;
    }

    /** A new region. Its {@code control} is complete before it has its name. */
    ControlRegion create(long now) {
        try {
            requireRoom();
            UUID id = UUID.randomUUID();
            // An agent may still map an older one: with that and the new one the volume is full. This one is given up.
            Files.deleteIfExists(in.resolve(CONTROL));
            allocate(NEW_CONTROL, geometry.controlBytes(), true);
            MemorySegment control = map(NEW_CONTROL, geometry.controlBytes());
            writeHeader(control, id, now);
            List<MemorySegment> inputs = inputs();
            Files.move(
                    in.resolve(NEW_CONTROL),
                    in.resolve(CONTROL),
                    StandardCopyOption.ATOMIC_MOVE,
                    StandardCopyOption.REPLACE_EXISTING);
            return new ControlRegion(geometry, id, control, inputs);
        } catch (IOException e) {
            throw new SlotsException("the volume " + in + " cannot be laid out: " + e.getMessage(), e);
        }
    }

    /** The region of an earlier supervisor, if it is whole and of this geometry and version. */
    Optional<ControlRegion> resume(long now) {
        try {
            Path path = in.resolve(CONTROL);
            if (!Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS) || Files.size(path) != geometry.controlBytes()) {
                LOG.info("No region of {} is there to go on with", geometry);
                return Optional.empty();
            }
            MemorySegment control = map(CONTROL, geometry.controlBytes());
            Optional<String> fault = ControlCheck.fault(control, geometry);
            if (fault.isPresent()) {
                LOG.warn("The region that is there cannot be gone on with: {}", fault.get());
                return Optional.empty();
            }
            UUID id = new UUID(
                    Long.reverseBytes(control.get(JAVA_LONG, ControlDescriptor.REGION_ID_AT)),
                    Long.reverseBytes(control.get(JAVA_LONG, ControlDescriptor.REGION_ID_AT + 8)));
            control.set(JAVA_LONG, ControlDescriptor.EPOCH_AT, now);
            return Optional.of(new ControlRegion(geometry, id, control, inputs()));
        } catch (IOException e) {
            throw new SlotsException("the volume " + in + " cannot be read: " + e.getMessage(), e);
        }
    }

    private List<MemorySegment> inputs() throws IOException {
        List<MemorySegment> inputs = new ArrayList<>();
        for (int slot = 0; slot < geometry.slots(); slot++) {
            String name = "task-" + slot + ".in";
            allocate(name, geometry.inputFileBytes(), false);
            inputs.add(map(name, geometry.inputFileBytes()).asSlice(0, geometry.inputBytes()));
        }
        return inputs;
    }

    private void writeHeader(MemorySegment control, UUID id, long now) {
        control.set(JAVA_SHORT, ControlDescriptor.MAJOR_AT, ControlDescriptor.MAJOR);
        control.set(JAVA_SHORT, ControlDescriptor.MINOR_AT, ControlDescriptor.MINOR);
        control.set(JAVA_INT, ControlDescriptor.HEADER_BYTES_AT, ControlDescriptor.HEADER_BYTES);
        control.set(JAVA_INT, ControlDescriptor.SLOTS_AT, geometry.slots());
        control.set(JAVA_INT, ControlDescriptor.STRIDE_AT, ControlDescriptor.STRIDE);
        control.set(JAVA_INT, ControlDescriptor.BYTE_ORDER_AT, ControlDescriptor.BYTE_ORDER_MARK);
        control.set(JAVA_LONG, ControlDescriptor.REGION_ID_AT, Long.reverseBytes(id.getMostSignificantBits()));
        control.set(JAVA_LONG, ControlDescriptor.REGION_ID_AT + 8, Long.reverseBytes(id.getLeastSignificantBits()));
        control.set(JAVA_LONG, ControlDescriptor.IN_CAPACITY_AT, geometry.inputBytes());
        control.set(JAVA_LONG, ControlDescriptor.OUT_CAPACITY_AT, geometry.outputBytes());
        control.set(JAVA_LONG, ControlDescriptor.EPOCH_AT, now);
        control.set(JAVA_LONG, ControlDescriptor.HEARTBEAT_AT, now);
        control.set(JAVA_LONG, ControlDescriptor.MAGIC_AT, ControlDescriptor.MAGIC);
    }

    private void allocate(String name, long bytes, boolean anew) throws IOException {
        Path path = in.resolve(name);
        if (anew) {
            Files.deleteIfExists(path);
        }
        int flags = Descriptor.READ_WRITE | Descriptor.CREATE | Descriptor.NOFOLLOW;
        try (Descriptor file = Descriptor.open(path, flags, 0640)) {
            file.allocate(bytes);
        } catch (LinuxException e) {
            if (e.errno() == LinuxException.ENOSPC) {
                throw new SlotsException(
                        "the volume " + in + " has no room for " + name + " of " + bytes + " bytes: all files of "
                                + geometry + " take " + geometry.inVolumeBytes() + " bytes, its sizeLimit must be that",
                        e);
            }
            throw e;
        }
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-r--r--"));
    }

    private MemorySegment map(String name, long bytes) throws IOException {
        try (FileChannel channel =
                FileChannel.open(in.resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, bytes, Arena.ofAuto());
        }
    }

    /** On tmpfs an allocation beyond the memory limit does not fail: it brings the out-of-memory killer. Ask before. */
    private void requireRoom() {
        long present = 0;
        for (int slot = 0; slot < geometry.slots(); slot++) {
            Path input = in.resolve("task-" + slot + ".in");
            present += Files.exists(input) ? geometry.inputFileBytes() : 0;
        }
        long needed = geometry.inputsBytes() + geometry.controlBytes() - present;
        MemoryRoom.OWN.bytes().filter(room -> room < needed).ifPresent(room -> {
            throw new SlotsException(
                    "the inputs take " + needed + " bytes of memory, the container's memory limit leaves " + room
                            + ": raise the supervisor's memory limit or lower slots.count or slots.inputSize");
        });
    }
}
