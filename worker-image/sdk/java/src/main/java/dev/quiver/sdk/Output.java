package dev.quiver.sdk;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;

/**
 * The result of a handler. Its length is known before the first byte is written, so that what does not fit fails with
 * both sizes and leaves nothing behind. The SDK closes it.
 */
public interface Output extends AutoCloseable {
    /** The format of the bytes; of a locator, that of its target. */
    Format format();

    /** Whether the bytes are a locator. */
    default boolean isLocator() {
        return false;
    }

    /** How many bytes {@link #writeTo} writes. */
    long length() throws IOException;

    /** Writes all bytes. The channel takes each buffer whole; direct buffers are not copied. */
    void writeTo(WritableByteChannel channel) throws IOException;

    /** Called once, written or not. */
    @Override
    default void close() {}

    /** Bytes, which are not copied. */
    static Output bytes(byte[] bytes) {
        return of(Format.BYTES, false, ByteBuffer.wrap(bytes));
    }

    /** Bytes from the buffer's position to its limit, which are not copied. */
    static Output bytes(ByteBuffer bytes) {
        return of(Format.BYTES, false, bytes);
    }

    /** One JSON value. */
    static Output json(String text) {
        return of(Format.JSON, false, StandardCharsets.UTF_8.encode(text));
    }

    /** Where the output lies; nothing of it is read by Quiver. */
    static Output locator(Locator locator) {
        return of(locator.format(), true, StandardCharsets.UTF_8.encode(locator.url()));
    }

    private static Output of(Format format, boolean locator, ByteBuffer bytes) {
        return new Output() {
            @Override
            public Format format() {
                return format;
            }

            @Override
            public boolean isLocator() {
                return locator;
            }

            @Override
            public long length() {
                return bytes.remaining();
            }

            @Override
            public void writeTo(WritableByteChannel channel) throws IOException {
                channel.write(bytes.duplicate());
            }
        };
    }
}
