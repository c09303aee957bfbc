package dev.quiver.lifecycle.arrow;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

import org.apache.arrow.flatbuf.DictionaryBatch;
import org.apache.arrow.flatbuf.Message;
import org.apache.arrow.flatbuf.MessageHeader;
import org.apache.arrow.flatbuf.RecordBatch;
import org.apache.arrow.flatbuf.Schema;

/**
 * The messages of an Arrow IPC stream: its schema, then dictionaries and record batches. Each message is
 *
 * <pre>
 *   u32 0xFFFFFFFF, i32 length of the metadata (0: end of the stream), metadata, body; each padded to 8
 * </pre>
 *
 * <p>The metadata is read, the columns are not: whoever executes a task validates those. Immutable.
 */
public final class ArrowStream {

    private static final int CONTINUATION = -1;
    private static final int PREFIX = 2 * Integer.BYTES;
    private static final byte[] END = {-1, -1, -1, -1, 0, 0, 0, 0};
    private static final int ALIGNMENT = 8;

    /** A message of the stream: where it lies, and a dictionary's id. */
    private record Part(int from, int length, byte kind, long rows, long dictionary, boolean delta) {}

    private final byte[] bytes;
    private final ArrowSchema schema;
    private final List<Part> parts; // the schema is none of them
    private final Part head;

    private ArrowStream(byte[] bytes, ArrowSchema schema, Part head, List<Part> parts) {
        this.bytes = bytes;
        this.schema = schema;
        this.head = head;
        this.parts = List.copyOf(parts);
    }

    /** Whether bytes begin as a stream does, and as no text can. */
    public static boolean begins(byte[] bytes) {
        return bytes.length >= PREFIX && ByteBuffer.wrap(bytes).getInt() == CONTINUATION;
    }

    /**
     * Reads the messages.
     *
     * @param bytes not copied: not to be changed
     * @throws IllegalArgumentException with the fault of what is no stream, or lacks its end
     */
    public static ArrowStream of(byte[] bytes) {
        try {
            return read(bytes);
        } catch (IndexOutOfBoundsException | ClassCastException | NullPointerException | AssertionError broken) {
            throw new IllegalArgumentException("not an Arrow stream: its metadata is broken", broken);
        }
    }

    private static ArrowStream read(byte[] bytes) {
        ByteBuffer data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        Part head = null;
        ArrowSchema schema = null;
        List<Part> parts = new ArrayList<>();
        int at = 0;
        while (at < bytes.length) {
            if (bytes.length - at < PREFIX || data.getInt(at) != CONTINUATION) {
                throw new IllegalArgumentException("not an Arrow stream: no message begins at byte " + at);
            }
            int metadata = data.getInt(at + Integer.BYTES);
            if (metadata == 0) {
                break;
            }
            Message message =
                    Message.getRootAsMessage(data.slice(at + PREFIX, metadata).order(ByteOrder.LITTLE_ENDIAN));
            long length = PREFIX + (long) metadata + message.bodyLength();
            if (message.bodyLength() < 0 || length % ALIGNMENT != 0 || length > bytes.length - at) {
                throw new IllegalArgumentException("not an Arrow stream: a message of " + length + " bytes at " + at
                        + ", the stream has " + bytes.length);
            }
            Part part = part(message, at, (int) length);
            if (head == null) {
                if (part.kind() != MessageHeader.Schema) {
                    throw new IllegalArgumentException("not an Arrow stream: it does not begin with a schema");
                }
                head = part;
                schema = ArrowSchema.of((Schema) message.header(new Schema()));
            } else if (part.kind() == MessageHeader.Schema) {
                throw new IllegalArgumentException("not an Arrow stream: a second schema at byte " + at);
            } else {
                parts.add(part);
            }
            at += (int) length;
        }
        if (head == null) {
            throw new IllegalArgumentException("not an Arrow stream: it is empty");
        }
        return new ArrowStream(bytes, schema, head, parts);
    }

    private static Part part(Message message, int at, int length) {
        return switch (message.headerType()) {
            case MessageHeader.Schema -> new Part(at, length, MessageHeader.Schema, 0, 0, false);
            case MessageHeader.RecordBatch ->
                new Part(
                        at,
                        length,
                        MessageHeader.RecordBatch,
                        ((RecordBatch) message.header(new RecordBatch())).length(),
                        0,
                        false);
            case MessageHeader.DictionaryBatch -> {
                DictionaryBatch dictionary = (DictionaryBatch) message.header(new DictionaryBatch());
                yield new Part(at, length, MessageHeader.DictionaryBatch, 0, dictionary.id(), dictionary.isDelta());
            }
            default ->
                throw new IllegalArgumentException(
                        "not an Arrow stream: a message of kind " + message.headerType() + " at byte " + at);
        };
    }

    /** The stream itself; not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** The columns of its batches. */
    public ArrowSchema schema() {
        return schema;
    }

    /** The rows of all batches. */
    public long rows() {
        return parts.stream().mapToLong(Part::rows).sum();
    }

    /** Each batch as a stream of its own, with the dictionaries that it needs. */
    public List<byte[]> batches() {
        List<byte[]> streams = new ArrayList<>();
        List<Part> dictionaries = new ArrayList<>();
        for (Part part : parts) {
            if (part.kind() == MessageHeader.RecordBatch) {
                ByteArrayOutputStream out = new ByteArrayOutputStream(head.length() + part.length() + END.length);
                write(head, out);
                dictionaries.forEach(dictionary -> write(dictionary, out));
                write(part, out);
                out.writeBytes(END);
                streams.add(out.toByteArray());
            } else {
                if (!part.delta()) {
                    dictionaries.removeIf(known -> known.dictionary() == part.dictionary());
                }
                dictionaries.add(part);
            }
        }
        return List.copyOf(streams);
    }

    private void write(Part part, ByteArrayOutputStream out) {
        out.write(bytes, part.from(), part.length());
    }

    /** Streams of one schema, one after the other, as one stream. Not thread-safe. */
    public static final class Joining {

        private final ByteArrayOutputStream out = new ByteArrayOutputStream();
        private ArrowSchema schema;
        private String first;

        /**
         * Appends all of a stream.
         *
         * @param name of the stream, for the message
         * @throws SchemaMismatchException with both schemas and names, where the columns differ from those of the first
         */
        public void add(String name, ArrowStream stream) {
            if (schema == null) {
                schema = stream.schema;
                first = name;
            } else if (!schema.equals(stream.schema)) {
                throw new SchemaMismatchException(first, schema.text(), name, stream.schema.text());
            }
            if (isEmpty()) {
                stream.write(stream.head, out);
            }
            stream.parts.forEach(part -> stream.write(part, out));
        }

        /** Whether nothing was added since the last stream was taken. */
        public boolean isEmpty() {
            return out.size() == 0;
        }

        /** Bytes of the stream so far. */
        public int size() {
            return out.size() + END.length;
        }

        /**
         * Takes the stream, once something was added. Batches that are added afterwards begin another stream, of the
         * same schema.
         */
        public byte[] take() {
            out.writeBytes(END);
            byte[] stream = out.toByteArray();
            out.reset();
            return stream;
        }
    }
}
