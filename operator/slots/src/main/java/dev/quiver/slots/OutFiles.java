package dev.quiver.slots;

import java.nio.file.Path;

import dev.quiver.slots.linux.Descriptor;
import dev.quiver.slots.linux.LinuxException;

/** Reads the files that the user's side wrote, without following, blocking on or mapping anything of it. */
final class OutFiles {
    private static final int READ = Descriptor.READ_ONLY | Descriptor.NOFOLLOW | Descriptor.NONBLOCK;

    private final Path out;
    private final long capacity;

    OutFiles(Path out, long capacity) {
        this.out = out;
        this.capacity = capacity;
    }

    /**
     * The output of a slot, which must be a locator if it was said to be one. Its file may be longer than what was
     * announced, up to what the slot takes. Handlers write over what the task before has left, so that the file's pages
     * stay theirs.
     */
    FileRead output(int slot, SlotOutput output) {
        return output(slot, 0, output);
    }

    /** The part of the output that begins at an offset. */
    FileRead output(int slot, long from, SlotOutput output) {
        if (output.bytes() > Integer.MAX_VALUE - 16) {
            return refused(slot, "output: " + output.bytes() + " bytes cannot be read at once");
        }
        FileRead read = read(slot, "out", from + output.bytes(), capacity, from, (int) output.bytes());
        return output.locator() && read instanceof FileRead.Content(byte[] bytes)
                ? Locators.fault(bytes)
                        .map(fault -> refused(slot, "output: " + fault))
                        .orElse(read)
                : read;
    }

    /** The last bytes of a stream of which so many bytes were written in all, oldest first. */
    FileRead tail(int slot, TaskStream stream, long total) {
        String ending = stream == TaskStream.STDOUT ? "stdout" : "stderr";
        FileRead ring = read(slot, ending, Geometry.TAIL_BYTES, Geometry.TAIL_BYTES, 0, Geometry.TAIL_BYTES);
        return ring instanceof FileRead.Content content ? new FileRead.Content(unroll(content.bytes(), total)) : ring;
    }

    static byte[] unroll(byte[] ring, long total) {
        int length = (int) Math.min(total, ring.length);
        byte[] straight = new byte[length];
        int oldest = total <= ring.length ? 0 : (int) (total % ring.length);
        int first = Math.min(length, ring.length - oldest);
        System.arraycopy(ring, oldest, straight, 0, first);
        System.arraycopy(ring, 0, straight, first, length - first);
        return straight;
    }

    /**
     * The lines that the slot's process printed between tasks, oldest first, at most {@value Geometry#LOG_BYTES} bytes.
     * They say nothing about a task, so a file that is none accuses nobody.
     *
     * @return empty where there is no such file, or it cannot be read
     */
    byte[] log(int slot) {
        Path path = out.resolve("task-" + slot + ".log");
        try (Descriptor file = Descriptor.open(path, READ, 0)) {
            Descriptor.Status status = file.status();
            return status.regular() ? file.read(0, (int) Math.min(status.size(), Geometry.LOG_BYTES)) : new byte[0];
        } catch (LinuxException e) {
            return new byte[0];
        }
    }

    private FileRead read(int slot, String ending, long least, long most, long from, int bytes) {
        Path path = out.resolve("task-" + slot + "." + ending);
        try (Descriptor file = Descriptor.open(path, READ, 0)) {
            Descriptor.Status status = file.status();
            if (!status.regular() || status.links() != 1) {
                return refused(slot, path + " is not a plain file with one name");
            }
            if (status.size() < least || status.size() > most) {
                return refused(
                        slot,
                        path + " has " + status.size() + " bytes: announced were " + least + ", allowed are " + most);
            }
            byte[] content = file.read(from, bytes);
            return content.length == bytes
                    ? new FileRead.Content(content)
                    : refused(slot, path + " became shorter while it was read");
        } catch (LinuxException e) {
            return refused(slot, e.getMessage());
        }
    }

    private static FileRead refused(int slot, String text) {
        return new FileRead.Refused(new Violation(slot, Violation.Kind.FILE, text));
    }
}
