package dev.quiver.sdk;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/**
 * A task's payload. It lies in shared memory and belongs to the task. {@link #bytes} and {@link #text} are copies that
 * may be kept; the memory of {@link #segment} ends when the handler returns. For the work thread.
 */
public final class Input {
    private final MemorySegment payload;
    private final Format format;
    private final boolean locator;
    private final BooleanSupplier refers;
    private final List<AutoCloseable> resources = new ArrayList<>(1);
    private Arena arena; // null until a segment is asked for

    Input(MemorySegment payload, int format, boolean locator) {
        this(payload, format, locator, () -> false);
    }

    /**
     * The same of a task.
     *
     * @param refers whether the last argument is a list of Arrow streams
     */
    Input(MemorySegment payload, int format, boolean locator, BooleanSupplier refers) {
        this.refers = refers;
        this.payload = payload;
        this.format = Format.ofCode(format)
                .orElseThrow(() -> new InputInvalidException("format " + format + " is not known to this SDK"));
        this.locator = locator;
    }

    /** The format of the bytes; of a locator, that of its target. */
    public Format format() {
        return format;
    }

    /** Whether the payload is a {@link #locator} instead of the data. */
    public boolean isLocator() {
        return locator;
    }

    /** In bytes. */
    public long length() {
        return payload.byteSize();
    }

    /** A copy of the payload. */
    public byte[] bytes() {
        return payload.toArray(ValueLayout.JAVA_BYTE);
    }

    /** The payload as UTF-8: of JSON, its text; of arguments, that of the whole array. */
    public String text() {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw new InputInvalidException("the input is not UTF-8", e);
        }
    }

    /**
     * The positional arguments of the call, each as its JSON text, such as {@code "a"} with the quotes. A Task's call has
     * any number of them. A TaskSet's JSON input is one argument, and a task without an input has none. So one function
     * serves both:
     *
     * <pre>{@code
     * List<String> args = input.arguments();
     * Photo photo = JSON.readValue(args.getFirst(), Photo.class);                  // an ObjectMapper of Jackson's
     * int width = args.size() < 2 ? 100 : JSON.readValue(args.get(1), int.class);
     * }</pre>
     *
     * @throws InputInvalidException for what is no JSON array, for other bytes, Arrow, and a locator
     */
    public List<String> arguments() {
        if (locator || format == Format.ARROW || format == Format.BYTES && length() > 0) {
            throw new InputInvalidException(
                    "the input is " + (locator ? "a locator" : format) + ", the function takes arguments");
        }
        return switch (format) {
            case ARGUMENTS -> JsonText.elements(text());
            case JSON -> List.of(text());
            case BYTES, ARROW, EFFECTS -> List.of();
        };
    }

    /**
     * One of the Arrow streams that are the input together.
     *
     * @param file that has it; absent for one of these bytes
     * @param bytes empty for one in a file
     */
    @SuppressWarnings("ArrayRecordComponent") // compared by nobody
    public record Reference(Optional<Path> file, byte[] bytes) {}

    /**
     * The Arrow streams that are the last argument, in order: the results of a map-reduce that are too large for one input.
     * Empty for any other input. {@code ArrowInput} reads them.
     */
    public List<Reference> references() {
        return format == Format.ARGUMENTS && refers.getAsBoolean()
                ? JsonText.elements(arguments().getLast()).stream()
                        .map(Input::reference)
                        .toList()
                : List.of();
    }

    /** The worker writes neither an escape into the name of a file nor one into base64. */
    private static Reference reference(String object) {
        Map<String, String> members = JsonText.members(object);
        String file = members.get("locator");
        String bytes = members.get("base64");
        if (file == null && bytes == null) {
            throw new InputInvalidException("no Arrow stream is at " + object);
        }
        return file != null
                ? new Reference(Optional.of(Path.of(file.substring(1, file.length() - 1))), new byte[0])
                : new Reference(Optional.empty(), Base64.getDecoder().decode(bytes.substring(1, bytes.length() - 1)));
    }

    /** Where the data lies. */
    public Locator locator() {
        if (!locator) {
            throw new InputInvalidException("the input is data, not a locator");
        }
        try {
            return new Locator(text(), format);
        } catch (IllegalArgumentException e) {
            throw new InputInvalidException("not a locator: " + e.getMessage(), e);
        }
    }

    /** The payload itself, read-only, for the work thread; whoever keeps it finds it closed when the task has ended. */
    @SuppressWarnings("restricted")
    public MemorySegment segment() {
        if (arena == null) {
            arena = Arena.ofConfined();
        }
        return payload.reinterpret(arena, null).asReadOnly();
    }

    /**
     * Closes the resource after the handler has returned and its output is written. When that throws, something still
     * uses the payload's memory: the task's result counts, and the process is replaced.
     */
    public void closeAfter(AutoCloseable resource) {
        resources.add(resource);
    }

    /**
     * Takes the memory back from this task. False when something still holds it: people are told, and this process cannot
     * promise to be clean.
     */
    boolean letGo(String task) {
        Exception held = end();
        if (held != null) {
            System.err.println("quiver: " + task + " kept memory of its input after its return; this process is"
                    + " replaced. Copy what is to stay. " + held.getMessage());
        }
        return held == null;
    }

    /** Takes the memory back; why that is not possible, or null. */
    Exception end() {
        Exception held = null;
        for (AutoCloseable resource : resources.reversed()) {
            try {
                resource.close();
            } catch (Exception e) {
                held = e;
            }
        }
        if (arena != null) {
            arena.close();
        }
        return held;
    }
}
