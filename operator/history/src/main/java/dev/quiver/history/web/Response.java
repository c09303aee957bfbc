package dev.quiver.history.web;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.util.Map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** The answer to a request. */
sealed interface Response {

    /** Bytes that are in memory until the answer was taken. */
    long bytes();

    /** A document, written down: its tree takes several times as much. */
    record Json(int code, byte[] body) implements Response {

        /**
         * Writes that tree as JSON. The bytes come by way of a text. Jackson's own writer of bytes breaks off at half
         * of a surrogate pair, which a tenant's JSON may have.
         */
        Json(int code, ObjectNode tree) {
            this(code, written(tree));
        }

        private static byte[] written(ObjectNode tree) {
            try {
                return Text.json(Documents.MAPPER.writeValueAsString(tree)).getBytes(StandardCharsets.UTF_8);
            } catch (JsonProcessingException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public long bytes() {
            return body.length;
        }
    }

    /**
     * Bytes of any kind.
     *
     * @param headers what the answer says beside them
     */
    record Bytes(String mediaType, byte[] body, Map<String, String> headers) implements Response {

        Bytes(String mediaType, byte[] body) {
            this(mediaType, body, Map.of());
        }

        Ranged ranged() {
            return new Ranged(
                    mediaType, body.length, (range, out) -> out.write(body, (int) range.first(), (int) range.length()));
        }

        @Override
        public long bytes() {
            return body.length;
        }
    }

    /** Bytes of a known length that are read while they are sent; a failure then cuts the connection. */
    record Ranged(String mediaType, long length, Part body) implements Response {

        /** A member of a pack, before and after it is inflated. */
        private static final long PART_BYTES = 512 << 10;

        @Override
        public long bytes() {
            return PART_BYTES;
        }
    }

    /** A body that is made while it is sent; a failure then cuts the connection, since its head is gone. */
    record Stream(String mediaType, Body body) implements Response {

        private static final long BUFFER_BYTES = 128 << 10;

        @Override
        public long bytes() {
            return BUFFER_BYTES;
        }
    }

    /** Writes a part of a body. */
    @FunctionalInterface
    interface Part {

        /** Writes the bytes of that range, which is within the length; closes nothing. */
        void to(ByteRange range, OutputStream out) throws IOException, SQLException;
    }

    /** Writes a body. */
    @FunctionalInterface
    interface Body {

        /** Writes all of it; closes nothing. */
        void to(OutputStream out) throws IOException, SQLException;
    }

    static Response json(ObjectNode body) {
        return new Json(200, body);
    }
}
