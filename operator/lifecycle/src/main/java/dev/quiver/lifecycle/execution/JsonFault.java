package dev.quiver.lifecycle.execution;

import java.util.stream.Collectors;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.exc.StreamReadException;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.databind.JsonMappingException;
import com.fasterxml.jackson.databind.exc.UnrecognizedPropertyException;

/**
 * Describes the fault of a JSON document for people who never saw our code. The library's own messages name its classes
 * and switches, and ours. Pure.
 */
public final class JsonFault {

    private JsonFault() {}

    /** The message, without a full stop. */
    public static String message(JacksonException fault) {
        return switch (fault) {
            case JsonEOFException _ -> "it ends too early";
            case StreamReadException syntax -> syntax(syntax);
            case StreamConstraintsException _ -> "it is nested too deep, or has a number or a text that is too long";
            case UnrecognizedPropertyException unknown -> "unknown field \"" + path(unknown) + "\"";
            case JsonMappingException shape
            when !shape.getPath().isEmpty() -> "\"" + path(shape) + "\" is of the wrong kind";
            default -> "something follows it, or it is of the wrong kind";
        };
    }

    private static String syntax(StreamReadException fault) {
        String message = fault.getOriginalMessage();
        JsonLocation at = fault.getLocation();
        String place = at == null ? "" : "line " + at.getLineNr() + ", column " + at.getColumnNr();
        boolean ofTheLibrary = message.contains("`") || message.contains("[Source");
        return ofTheLibrary ? place : message + " (" + place + ")";
    }

    private static String path(JsonMappingException fault) {
        return fault.getPath().stream()
                .map(step -> step.getFieldName() == null ? "[" + step.getIndex() + "]" : "." + step.getFieldName())
                .collect(Collectors.joining())
                .replaceFirst("^\\.", "");
    }
}
