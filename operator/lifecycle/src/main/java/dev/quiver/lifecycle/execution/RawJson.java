package dev.quiver.lifecycle.execution;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.util.RawValue;

/**
 * JSON values in the words in which they were written. A tree of Jackson changes some: {@code -0} becomes {@code 0},
 * {@code 1e21} becomes {@code 1E+21}, and half of a surrogate pair cannot be encoded as UTF-8. Pure.
 */
public final class RawJson {

    private static final String UNICODE = "\\u%04x";

    private RawJson() {}

    /**
     * The fields of an object in their own words, in order; none of any other value.
     *
     * @param text one valid document
     * @throws IllegalArgumentException for a text that is none
     */
    public static Map<String, String> fields(String text) {
        Map<String, String> fields = new LinkedHashMap<>();
        try (JsonParser parser = InputJson.parser(text)) {
            if (parser.nextToken() == JsonToken.START_OBJECT) {
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    fields.put(name, InputJson.value(text, parser));
                }
            }
            return fields;
        } catch (IOException e) {
            throw InputJson.fault(e);
        }
    }

    /** The elements of an array in their own words; none of any other value. */
    public static List<String> elements(String text) {
        return InputJson.elements(text);
    }

    /**
     * The same of a text that has to be an array.
     *
     * @param what the text is, for the message
     * @throws IllegalArgumentException for any other text
     */
    public static List<String> elements(String what, String text) {
        int ignored = size(what, text);
        return elements(text);
    }

    /**
     * How many elements a text has that has to be an array. It is read without a tree, which would take many times the room
     * of the text.
     *
     * @param what the text is, for the message
     * @throws IllegalArgumentException for any other text
     */
    public static int size(String what, String text) {
        try {
            return InputJson.size(text)
                    .orElseThrow(() ->
                            new IllegalArgumentException(what + " are no JSON array: " + Utf8.firstBytes(text, 100)));
        } catch (InputJson.InvalidException invalid) {
            throw new IllegalArgumentException(what + " are no JSON: " + invalid.getMessage(), invalid);
        }
    }

    /** A line that is a document as it is, any other one as a JSON string. */
    public static String line(String line) {
        try {
            OptionalInt ignored = InputJson.size(line);
            return line.strip();
        } catch (InputJson.InvalidException text) {
            return InputJson.text(line);
        }
    }

    /** The value of a document. Written again it has the same words. */
    public static JsonNode node(String raw) {
        JsonNode node = InputJson.parse(raw);
        return node.toString().equals(raw) ? node : JsonNodeFactory.instance.rawValueNode(new RawValue(raw));
    }

    /** The text of a string, however it is written; absent for any other value. */
    public static Optional<String> text(JsonNode node) {
        boolean raw = node.isPojo() && node.toString().startsWith("\"");
        return Optional.ofNullable((raw ? InputJson.parse(node.toString()) : node).textValue());
    }

    /**
     * The value of a document in which the elements of some arrays keep their words.
     *
     * @param arrays names of the fields that have such arrays, at any depth
     * @throws IllegalArgumentException for a text that is no valid document
     */
    public static JsonNode tree(String text, Set<String> arrays) {
        try (JsonParser parser = InputJson.parser(text)) {
            if (parser.nextToken() == null) {
                throw new IllegalArgumentException("the document is empty");
            }
            JsonNode tree = tree(text, parser, arrays, "");
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("something follows the document");
            }
            return tree;
        } catch (IOException e) {
            throw InputJson.fault(e);
        }
    }

    private static JsonNode tree(String text, JsonParser parser, Set<String> arrays, String field) throws IOException {
        switch (parser.currentToken()) {
            case START_OBJECT -> {
                ObjectNode object = JsonNodeFactory.instance.objectNode();
                while (parser.nextToken() != JsonToken.END_OBJECT) {
                    String name = parser.currentName();
                    parser.nextToken();
                    object.set(name, tree(text, parser, arrays, name));
                }
                return object;
            }
            case START_ARRAY -> {
                ArrayNode array = JsonNodeFactory.instance.arrayNode();
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    array.add(
                            arrays.contains(field)
                                    ? node(InputJson.value(text, parser))
                                    : tree(text, parser, arrays, ""));
                }
                return array;
            }
            default -> {
                return InputJson.parse(InputJson.value(text, parser));
            }
        }
    }

    /**
     * The same document with an escape for each half of a surrogate pair, so that UTF-8 can have it.
     *
     * @throws IllegalArgumentException for such a half in a key, which no reader here takes
     */
    public static String encodable(String json) {
        StringBuilder escaped = null;
        int copied = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (!Character.isSurrogate(c)) {
                continue;
            }
            if (Character.isHighSurrogate(c) && i + 1 < json.length() && Character.isLowSurrogate(json.charAt(i + 1))) {
                i++;
                continue;
            }
            escaped = escaped == null ? new StringBuilder(json.length() + UNICODE.length()) : escaped;
            escaped.append(json, copied, i).append(UNICODE.formatted((int) c));
            copied = i + 1;
        }
        if (escaped == null) {
            return json;
        }
        String all = escaped.append(json, copied, json.length()).toString();
        try {
            InputJson.parse(all);
        } catch (IllegalArgumentException unreadable) {
            throw new IllegalArgumentException("a key of an object has half of a surrogate pair", unreadable);
        }
        return all;
    }
}
