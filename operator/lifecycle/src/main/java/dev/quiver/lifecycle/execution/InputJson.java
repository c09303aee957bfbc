package dev.quiver.lifecycle.execution;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.io.JsonStringEncoder;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

/** Inputs as JSON: numbers keep all their digits, objects the order of their keys. Pure. */
final class InputJson {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    private InputJson() {}

    static String compact(String text) {
        return parse(text).toString();
    }

    static JsonNode parse(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            if (node == null || node.isMissingNode()) {
                throw new IllegalArgumentException("input.json is empty");
            }
            return node;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("input.json is not valid JSON: " + JsonFault.message(e), e);
        }
    }

    /** A text that is no document. */
    static final class InvalidException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        InvalidException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * Reads one document without making anything of it.
     *
     * @return how many elements its array has; empty for a document that is no array
     * @throws InvalidException for a text that is no document, or more than one
     */
    static OptionalInt size(String text) {
        try (JsonParser parser = JSON.createParser(text)) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                throw new InvalidException("input.json is empty", null);
            }
            int elements = 0;
            if (first == JsonToken.START_ARRAY) {
                for (; parser.nextToken() != JsonToken.END_ARRAY; elements++) {
                    parser.skipChildren();
                }
            } else {
                parser.skipChildren();
            }
            parser.finishToken();
            if (parser.nextToken() != null) {
                throw new InvalidException("input.json is not valid JSON: something follows it", null);
            }
            return first == JsonToken.START_ARRAY ? OptionalInt.of(elements) : OptionalInt.empty();
        } catch (JsonProcessingException e) {
            throw new InvalidException("input.json is not valid JSON: " + JsonFault.message(e), e);
        } catch (IOException e) {
            throw new InvalidException("input.json is not valid JSON: " + e.getMessage(), e);
        }
    }

    /**
     * An element of an array in its own words, digit by digit; absent where there is none.
     *
     * @param text one valid document
     */
    static Optional<String> element(String text, int index) {
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_ARRAY) {
                return Optional.empty();
            }
            for (int at = 0; parser.nextToken() != JsonToken.END_ARRAY; at++) {
                int start = Math.toIntExact(parser.currentTokenLocation().getCharOffset());
                if (at == index) {
                    return Optional.of(element(text, parser, start));
                }
                parser.skipChildren();
            }
            return Optional.empty();
        } catch (IOException e) {
            throw new IllegalArgumentException("input.json is not valid JSON: " + e.getMessage(), e);
        }
    }

    /** All elements of an array in their own words; none where the document is no array. */
    static List<String> elements(String text) {
        List<String> all = new ArrayList<>();
        try (JsonParser parser = JSON.createParser(text)) {
            if (parser.nextToken() == JsonToken.START_ARRAY) {
                while (parser.nextToken() != JsonToken.END_ARRAY) {
                    int start = Math.toIntExact(parser.currentTokenLocation().getCharOffset());
                    all.add(element(text, parser, start));
                }
            }
            return all;
        } catch (IOException e) {
            throw new IllegalArgumentException("input.json is not valid JSON: " + e.getMessage(), e);
        }
    }

    /** A parser of this text, before its first token. */
    static JsonParser parser(String text) throws IOException {
        return JSON.createParser(text);
    }

    /** The value that the parser of this text has come to, in its own words; the parser stands at its end then. */
    static String value(String text, JsonParser parser) throws IOException {
        return element(
                text, parser, Math.toIntExact(parser.currentTokenLocation().getCharOffset()));
    }

    static IllegalArgumentException fault(IOException e) {
        return new IllegalArgumentException("input.json is not valid JSON: " + e.getMessage(), e);
    }

    private static String element(String text, JsonParser parser, int start) throws IOException {
        if (parser.currentToken().isNumeric()) {
            return parser.getText();
        }
        parser.skipChildren();
        parser.finishToken();
        return text.substring(start, Math.toIntExact(parser.currentLocation().getCharOffset()));
    }

    /** Whether a compact text is an object. */
    static boolean isObject(String compact) {
        return compact.startsWith("{");
    }

    /** Two objects as one: keys of the second win, at the top level. */
    static String merge(String base, String over) {
        ObjectNode all = (ObjectNode) parse(base);
        all.setAll((ObjectNode) parse(over));
        return all.toString();
    }

    /** The object of these keys, compact: as a tree would write it, and without one. */
    static String of(Map<String, String> keys) {
        StringBuilder text = new StringBuilder("{");
        for (Map.Entry<String, String> key : keys.entrySet()) {
            quote(key.getKey(), text.length() == 1 ? text : text.append(','));
            quote(key.getValue(), text.append(':'));
        }
        return text.append('}').toString();
    }

    /** This text as a JSON string. */
    static String text(String value) {
        StringBuilder quoted = new StringBuilder(value.length() + 2);
        quote(value, quoted);
        return quoted.toString();
    }

    private static void quote(String value, StringBuilder to) {
        JsonStringEncoder.getInstance().quoteAsString(value, to.append('"'));
        to.append('"');
    }

    /** The object with these keys, which replace keys of the same name. */
    static String with(String base, Map<String, String> keys) {
        ObjectNode all = (ObjectNode) parse(base);
        keys.forEach(all::put);
        return all.toString();
    }
}
