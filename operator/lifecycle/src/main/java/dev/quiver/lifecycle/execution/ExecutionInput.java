package dev.quiver.lifecycle.execution;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The input of a whole set or of one item. Immutable. Inline input takes at most {@link #MAX_INLINE_BYTES}, because it
 * goes through Redis.
 */
public sealed interface ExecutionInput {

    /** Bytes of inline input at most. */
    int MAX_INLINE_BYTES = 256 * 1024;

    /** Characters of a locator at most. */
    int MAX_LOCATOR_CHARS = 1024;

    /** The format of the bytes, here or at the locator. */
    Format format();

    /** The input as the slot gets it. */
    Payload payload();

    /** A format of bytes. The number is the one in the slot. */
    enum Format {
        /** Unknown. */
        BYTES(0, "Bytes"),
        /** One JSON document in UTF-8. */
        JSON(1, "JSON"),
        /** An Arrow IPC stream. */
        ARROW(2, "Arrow"),
        /** A JSON array in UTF-8: the positional arguments of a call. No resource names it. */
        ARGUMENTS(3, "Arguments"),
        /** A JSON object in UTF-8: a result with what follows, or a plan, see {@link Effects}. Only outputs have it. */
        EFFECTS(4, "Effects");

        private final int code;
        private final String word;

        Format(int code, String word) {
            this.code = code;
            this.word = word;
        }

        /** The number in the slot's header. */
        public int code() {
            return code;
        }

        /** The format with this number; an IllegalArgumentException for any other number. */
        public static Format ofCode(int code) {
            return Arrays.stream(values())
                    .filter(format -> format.code == code)
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException("format " + code + " is not known"));
        }

        /** The word for people; in a resource {@code Bytes}, {@code JSON}, {@code Arrow}. */
        public String word() {
            return word;
        }

        /** The format of this word; an IllegalArgumentException names the field and the word. */
        public static Format of(String field, String word) {
            return Arrays.stream(values())
                    .filter(format -> format.code <= ARROW.code && format.word.equals(word))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(
                            field + " is \"" + word + "\", JSON, Arrow or Bytes are allowed"));
        }
    }

    /**
     * A JSON value.
     *
     * @param text in compact form
     */
    record Json(String text) implements ExecutionInput {

        /** Brings the text into its compact form; an IllegalArgumentException describes a fault. */
        public Json {
            text = InputJson.compact(text);
            InputTooLargeException.check("input.json", Utf8.length(text), MAX_INLINE_BYTES);
        }

        @Override
        public Format format() {
            return Format.JSON;
        }

        @Override
        public Payload payload() {
            return new Payload(text.getBytes(StandardCharsets.UTF_8), Format.JSON, false);
        }
    }

    /**
     * Bytes.
     *
     * @param base64 of them, with padding
     */
    record Inline(String base64, Format format) implements ExecutionInput {

        /** Checks alphabet and size. */
        public Inline {
            Objects.requireNonNull(format, "format");
            InputTooLargeException.check("input.base64", decode(base64).length, MAX_INLINE_BYTES);
        }

        private static byte[] decode(String base64) {
            try {
                return Base64.getDecoder().decode(base64);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "input.base64 is not base64: " + e.getMessage() + ": " + shown(base64), e);
            }
        }

        @Override
        public Payload payload() {
            return new Payload(decode(base64), format, false);
        }
    }

    /**
     * The place of the input. The task's code reads it, Quiver never does.
     *
     * @param locator a URL, or a path in the worker's container
     */
    record Locator(String locator, Format format) implements ExecutionInput {

        /** Checks length and characters. */
        public Locator {
            Objects.requireNonNull(format, "format");
            int length = locator.codePointCount(0, locator.length());
            if (length < 1 || length > MAX_LOCATOR_CHARS) {
                throw new IllegalArgumentException("input.locator has " + length + " characters, 1 to "
                        + MAX_LOCATOR_CHARS + " are allowed: " + shown(locator));
            }
            if (locator.chars().anyMatch(Character::isISOControl)) {
                throw new IllegalArgumentException("input.locator has a control character: " + shown(locator));
            }
        }

        @Override
        public Payload payload() {
            return new Payload(locator.getBytes(StandardCharsets.UTF_8), format, true);
        }
    }

    /**
     * The input that a resource's fields describe. Exactly one of the first three is given.
     *
     * @param json any JSON document
     * @param format absent: JSON for {@code json}, else Bytes
     * @throws IllegalArgumentException naming field and value; {@link InputTooLargeException} with both sizes
     */
    static ExecutionInput of(
            Optional<String> json, Optional<String> base64, Optional<String> locator, Optional<String> format) {
        long given =
                Stream.of(json, base64, locator).filter(Optional::isPresent).count();
        if (given != 1) {
            throw new IllegalArgumentException(
                    "input has " + given + " of json, base64 and locator, exactly one is needed");
        }
        Optional<Format> said = format.map(word -> Format.of("input.format", word));
        if (json.isPresent()) {
            if (said.isPresent() && said.get() != Format.JSON) {
                throw new IllegalArgumentException(
                        "input.format is \"" + said.get().word() + "\", with input.json only JSON is allowed");
            }
            return new Json(json.get());
        }
        Format chosen = said.orElse(Format.BYTES);
        return base64.isPresent() ? new Inline(base64.get(), chosen) : new Locator(locator.get(), chosen);
    }

    private static String shown(String value) {
        return "\"" + (value.length() <= 80 ? value : value.substring(0, 80) + "…") + "\"";
    }

    /**
     * The content of a slot's input.
     *
     * @param bytes not copied: not to be changed
     * @param format of the bytes, or of the data at the locator
     * @param locator whether the bytes are a locator in UTF-8
     */
    record Payload(byte[] bytes, Format format, boolean locator) {

        /** No input. */
        public static final Payload NONE = new Payload(new byte[0], Format.BYTES, false);

        @Override
        public boolean equals(Object other) {
            return other instanceof Payload that
                    && Arrays.equals(bytes, that.bytes)
                    && format == that.format
                    && locator == that.locator;
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(bytes) + Objects.hash(format, locator);
        }
    }
}
