package dev.quiver.history.web;

import java.io.IOException;
import java.io.OutputStream;
import java.sql.SQLException;

import com.fasterxml.jackson.databind.node.ObjectNode;

/** The answer to a request. */
sealed interface Response {

    /** A document. */
    record Json(int code, ObjectNode body) implements Response {}

    /** Bytes of any kind. */
    record Bytes(String mediaType, byte[] body) implements Response {

        Ranged ranged() {
            return new Ranged(
                    mediaType, body.length, (range, out) -> out.write(body, (int) range.first(), (int) range.length()));
        }
    }

    /** Bytes of a known length that are read while they are sent; a failure then cuts the connection. */
    record Ranged(String mediaType, long length, Part body) implements Response {}

    /** A body that is made while it is sent; a failure then cuts the connection, since its head is gone. */
    record Stream(String mediaType, Body body) implements Response {}

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
