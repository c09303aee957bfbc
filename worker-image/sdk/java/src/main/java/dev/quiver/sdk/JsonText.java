package dev.quiver.sdk;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The parts of a JSON text as texts. All of it is checked by the grammar of RFC 8259, at any depth, and nothing of it
 * is changed. Numbers and strings are left to a JSON library.
 */
final class JsonText {
    private final String text;
    private final String wanted;
    private final BitSet objects = new BitSet(); // of the open brackets, those that are braces
    private int at;

    private JsonText(String text, String wanted) {
        this.text = text;
        this.wanted = wanted;
    }

    /**
     * The elements of an array.
     *
     * @throws InputInvalidException for anything else
     */
    static List<String> elements(String array) {
        JsonText json = new JsonText(array, "a JSON array");
        List<String> elements = new ArrayList<>();
        json.open('[');
        for (boolean more = !json.closes(']'); more; more = json.goesOn(']')) {
            elements.add(json.part());
        }
        json.end();
        return List.copyOf(elements);
    }

    /**
     * The members of an object, in order; names are as they are written, their escapes too.
     *
     * @throws InputInvalidException for anything else
     */
    static Map<String, String> members(String object) {
        JsonText json = new JsonText(object, "a JSON object");
        Map<String, String> members = new LinkedHashMap<>();
        json.open('{');
        for (boolean more = !json.closes('}'); more; more = json.goesOn('}')) {
            int begin = json.at;
            json.name();
            String name = object.substring(begin + 1, object.lastIndexOf('"', json.at - 1));
            members.put(name, json.part());
        }
        json.end();
        return members;
    }

    /**
     * Checks that the text is one value.
     *
     * @throws InputInvalidException for anything else
     */
    static void check(String value) {
        JsonText json = new JsonText(value, "a JSON value");
        json.blanks();
        json.value();
        json.end();
    }

    private void open(char bracket) {
        blanks();
        expect(bracket);
        blanks();
    }

    /** Behind an opening bracket. */
    private boolean closes(char bracket) {
        boolean closes = next() == bracket;
        if (closes) {
            at++;
        }
        return closes;
    }

    /** Behind a value: whether another one follows. */
    private boolean goesOn(char bracket) {
        blanks();
        if (closes(bracket)) {
            return false;
        }
        expect(',');
        blanks();
        return true;
    }

    private void end() {
        blanks();
        if (at < text.length()) {
            throw fault();
        }
    }

    private String part() {
        int begin = at;
        value();
        return text.substring(begin, at);
    }

    /** Passes over a value. Without recursion: it may be as deep as its text is long. */
    private void value() {
        int depth = 0;
        do {
            char first = next();
            if (first == '[' || first == '{') {
                at++;
                blanks();
                if (!closes(closing(first == '{'))) {
                    objects.set(depth++, first == '{');
                    name(depth);
                    continue;
                }
            } else {
                scalar(first);
            }
            while (depth > 0 && !goesOn(closing(objects.get(depth - 1)))) {
                depth--;
            }
            name(depth);
        } while (depth > 0);
    }

    private static char closing(boolean object) {
        return object ? '}' : ']';
    }

    /** Reads the name of a member, if the innermost bracket is an object's. */
    private void name(int depth) {
        if (depth > 0 && objects.get(depth - 1)) {
            name();
        }
    }

    private void name() {
        string();
        blanks();
        expect(':');
        blanks();
    }

    private void scalar(char first) {
        switch (first) {
            case '"' -> string();
            case 't' -> word("true");
            case 'f' -> word("false");
            case 'n' -> word("null");
            default -> number();
        }
    }

    private void word(String word) {
        if (!text.startsWith(word, at)) {
            throw fault();
        }
        at += word.length();
    }

    private void number() {
        if (next() == '-') {
            at++;
        }
        if (next() == '0') {
            at++;
        } else {
            digits();
        }
        if (next() == '.') {
            at++;
            digits();
        }
        if (next() == 'e' || next() == 'E') {
            at++;
            if (next() == '+' || next() == '-') {
                at++;
            }
            digits();
        }
    }

    private void digits() {
        int begin = at;
        while (next() >= '0' && next() <= '9') {
            at++;
        }
        if (at == begin) {
            throw fault();
        }
    }

    private void string() {
        expect('"');
        while (next() != '"') {
            if (next() == '\\') {
                at++;
                escape();
            } else if (next() >= ' ') {
                at++;
            } else { // a control character, or the end
                throw fault();
            }
        }
        at++;
    }

    private void escape() {
        int digits = next() == 'u' ? 4 : 0;
        if (digits == 0 && "\"\\/bfnrt".indexOf(next()) < 0) {
            throw fault();
        }
        at++;
        for (int i = 0; i < digits; i++) {
            if ("0123456789abcdefABCDEF".indexOf(next()) < 0) {
                throw fault();
            }
            at++;
        }
    }

    private void blanks() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private void expect(char wanted) {
        if (next() != wanted) {
            throw fault();
        }
        at++;
    }

    /** NUL at the end of the text: no grammar has it. */
    private char next() {
        return at < text.length() ? text.charAt(at) : '\0';
    }

    private InputInvalidException fault() {
        String found = at < text.length() ? "U+%04X".formatted((int) text.charAt(at)) : "the end";
        return new InputInvalidException("not " + wanted + ": " + found + " at character " + at);
    }
}
