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
    record Bytes(String mediaType, byte[] body) implements Response {}

    /** A body that is made while it is sent; a failure then cuts the connection, since its head is gone. */
    record Stream(String mediaType, Body body) implements Response {}

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
