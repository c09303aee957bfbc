package dev.quiver.lifecycle.wires.idoit;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.lifecycle.execution.JsonFault;

/**
 * JSON as JavaScript writes it. A program of idoit reads a text, writes it anew and compares it with the one in Redis byte
 * by byte. So whatever it may write anew must be what {@code JSON.stringify(JSON.parse(text))} gives. No I/O.
 */
final class JsJson {

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    static {
        JSON.getFactory()
                .setStreamReadConstraints(StreamReadConstraints.builder()
                        .maxStringLength(Integer.MAX_VALUE)
                        .build());
    }

    /** From here on JavaScript writes an exponent: 1e21, and 1e-7 at the other end. */
    private static final int LONGEST_WHOLE = 21;

    private static final int LEAST_EXPONENT = -6;

    /** The largest integer-like key that JavaScript takes as an index is one less. */
    private static final long INDICES = (1L << 32) - 1;

    private JsJson() {}

    /**
     * The document of a text.
     *
     * @throws IllegalArgumentException when it is none
     */
    static JsonNode read(String text) {
        try {
            JsonNode node = JSON.readTree(text);
            if (node == null || node.isMissingNode()) {
                throw new IllegalArgumentException("an empty text is no JSON");
            }
            return node;
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("no JSON: " + JsonFault.message(e), e);
        }
    }

    /** The same document as JavaScript writes it; an IllegalArgumentException describes a fault. */
    static String rewritten(String text) {
        return write(read(text));
    }

    /** A document as JavaScript writes it. */
    static String write(JsonNode node) {
        StringBuilder out = new StringBuilder();
        write(node, out);
        return out.toString();
    }

    /** A JSON string. */
    static String quoted(String text) {
        StringBuilder out = new StringBuilder(text.length() + 2);
        quote(text, out);
        return out.toString();
    }

    private static void write(JsonNode node, StringBuilder out) {
        switch (node.getNodeType()) {
            case OBJECT -> {
                out.append('{');
                for (Map.Entry<String, JsonNode> field : fields(node)) {
                    out.append(out.charAt(out.length() - 1) == '{' ? "" : ",");
                    quote(field.getKey(), out);
                    write(field.getValue(), out.append(':'));
                }
                out.append('}');
            }
            case ARRAY -> {
                out.append('[');
                for (int i = 0; i < node.size(); i++) {
                    write(node.get(i), i == 0 ? out : out.append(','));
                }
                out.append(']');
            }
            case STRING -> quote(node.textValue(), out);
            case NUMBER -> out.append(number(node.doubleValue()));
            default -> out.append(node);
        }
    }

    /** Keys that are indices come first, in their order. */
    private static List<Map.Entry<String, JsonNode>> fields(JsonNode object) {
        List<Map.Entry<String, JsonNode>> indices = new ArrayList<>();
        List<Map.Entry<String, JsonNode>> others = new ArrayList<>();
        object.properties().forEach(field -> (isIndex(field.getKey()) ? indices : others).add(field));
        indices.sort(
                Map.Entry.comparingByKey((one, other) -> Long.compare(Long.parseLong(one), Long.parseLong(other))));
        indices.addAll(others);
        return indices;
    }

    private static boolean isIndex(String key) {
        boolean digits = !key.isEmpty() && key.length() <= 10 && key.chars().allMatch(c -> c >= '0' && c <= '9');
        return digits && (key.equals("0") || key.charAt(0) != '0') && Long.parseLong(key) < INDICES;
    }

    /** A number as JavaScript writes it: the shortest digits that mean it; null for one that is beyond all numbers. */
    static String number(double value) {
        if (Double.isNaN(value) || Double.isInfinite(value)) {
            return "null";
        }
        if (value == 0) {
            return "0";
        }
        BigDecimal exact = shortest(Math.abs(value)).stripTrailingZeros();
        String digits = exact.unscaledValue().toString();
        int point = digits.length() - exact.scale(); // digits before the point
        String sign = value < 0 ? "-" : "";
        if (point > LONGEST_WHOLE || point < LEAST_EXPONENT + 1) {
            String rest = digits.length() == 1 ? "" : "." + digits.substring(1);
            return sign + digits.charAt(0) + rest + (point > 0 ? "e+" : "e-") + Math.abs(point - 1);
        }
        if (point <= 0) {
            return sign + "0." + "0".repeat(-point) + digits;
        }
        return digits.length() <= point
                ? sign + digits + "0".repeat(point - digits.length())
                : sign + digits.substring(0, point) + "." + digits.substring(point);
    }

    /** Java writes two digits at least, where one may do: 4.9E-324 for 5e-324. */
    private static BigDecimal shortest(double value) {
        BigDecimal digits = new BigDecimal(Double.toString(value));
        BigDecimal one = digits.round(new java.math.MathContext(1));
        return one.doubleValue() == value ? one : digits;
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                case '\b' -> out.append("\\b");
                case '\t' -> out.append("\\t");
                case '\n' -> out.append("\\n");
                case '\f' -> out.append("\\f");
                case '\r' -> out.append("\\r");
                default -> {
                    boolean pair = Character.isHighSurrogate(c)
                            && i + 1 < text.length()
                            && Character.isLowSurrogate(text.charAt(i + 1));
                    if (pair) {
                        out.append(c).append(text.charAt(++i));
                    } else if (c < ' ' || Character.isSurrogate(c)) {
                        out.append("\\u%04x".formatted((int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
