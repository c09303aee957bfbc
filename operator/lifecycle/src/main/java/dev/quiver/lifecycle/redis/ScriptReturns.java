package dev.quiver.lifecycle.redis;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The reply of a script, as the line {@code -- RETURNS} of its header says it. {@code {OK, now, ids...} | {GONE}} has a
 * form for each code. The elements of a form have names, which callers read them by:
 *
 * <ul>
 *   <li>{@code now} is one value, and {@code now: in ms} the same with words for people;
 *   <li>{@code ids[]} is a list behind the number of its entries;
 *   <li>{@code ids...} is a list up to the end of the reply, and the last element;
 *   <li>{@code claims...(id, place)} is a list of rows, whose fields have names as well.
 * </ul>
 *
 * <p>Values stand in front of lists. So a new value is put behind the last one, and no other name moves.
 */
final class ScriptReturns {

    /** Such a line of a header has the forms. */
    static final String LINE = "-- RETURNS ";

    private static final Pattern FORM = Pattern.compile("\\{([^{}]*)}");
    private static final Pattern ELEMENT =
            Pattern.compile("([a-z][a-z_]*)(\\[]|\\.\\.\\.)?(?:\\(([a-z_]+(?:, [a-z_]+)*)\\))?(?:: [^,(){}]+)?");
    private static final Pattern COMMA = Pattern.compile(", (?![^(]*\\))");

    /** A list of a form. A list without named fields has rows of one value. */
    record Listed(String name, boolean counted, Map<String, Integer> fields) {

        /** Values of a row. */
        int width() {
            return Math.max(1, fields.size());
        }
    }

    /**
     * The elements behind a code: where each value stands, and the lists behind the values.
     *
     * @param elements all of them as the header has them, words left out
     */
    record Form(Map<String, Integer> values, List<Listed> lists, List<String> elements) {

        /** Where the lists begin. */
        int end() {
            return values.size() + 1;
        }
    }

    private final String script;
    private final Map<ScriptCode, Form> forms;

    private ScriptReturns(String script, Map<ScriptCode, Form> forms) {
        this.script = script;
        this.forms = forms;
    }

    /**
     * Reads the forms of a header.
     *
     * @param text behind {@link #LINE}, further lines included
     * @throws IllegalStateException in words for a text without forms, two forms of a code, or an element that is none
     */
    static ScriptReturns of(String script, String text) {
        Map<ScriptCode, Form> forms = new EnumMap<>(ScriptCode.class);
        Matcher found = FORM.matcher(text);
        while (found.find()) {
            List<String> parts = List.of(COMMA.split(found.group(1)));
            ScriptCode code = ScriptCode.valueOf(parts.getFirst());
            if (forms.put(code, form(script, parts.subList(1, parts.size()))) != null) {
                throw new IllegalStateException(script + " returns " + code + " in two forms");
            }
        }
        if (forms.isEmpty()) {
            throw new IllegalStateException(script + " does not say what it returns");
        }
        return new ScriptReturns(script, Map.copyOf(forms));
    }

    private static Form form(String script, List<String> elements) {
        Map<String, Integer> values = new HashMap<>();
        List<Listed> lists = new ArrayList<>();
        for (String element : elements) {
            Matcher parts = ELEMENT.matcher(element);
            boolean known = parts.matches();
            boolean listed = known && parts.group(2) != null;
            if (!known
                    || !listed && (parts.group(3) != null || !lists.isEmpty())
                    || !lists.isEmpty() && !lists.getLast().counted()) {
                throw new IllegalStateException(script + " returns \"" + element + "\", which is no element there");
            }
            String name = parts.group(1);
            if (values.containsKey(name)
                    || lists.stream().anyMatch(list -> list.name().equals(name))) {
                throw new IllegalStateException(script + " returns two elements called " + name);
            }
            if (listed) {
                lists.add(new Listed(name, parts.group(2).equals("[]"), fields(script, parts.group(3))));
            } else {
                values.put(name, values.size() + 1);
            }
        }
        return new Form(
                Map.copyOf(values),
                List.copyOf(lists),
                elements.stream().map(element -> element.split(": ", 2)[0]).toList());
    }

    private static Map<String, Integer> fields(String script, String names) {
        if (names == null) {
            return Map.of();
        }
        Map<String, Integer> fields = new HashMap<>();
        for (String name : names.split(", ")) {
            if (fields.put(name, fields.size()) != null) {
                throw new IllegalStateException(script + " returns rows with two fields called " + name);
            }
        }
        return Map.copyOf(fields);
    }

    /** The forms by their codes. */
    Map<ScriptCode, Form> forms() {
        return forms;
    }

    /**
     * The form of a reply.
     *
     * @throws IllegalStateException for a code that the header does not have, or a reply that has fewer values
     */
    Form of(ScriptCode code, int size) {
        Form form = forms.get(code);
        if (form == null || size < form.end()) {
            throw new IllegalStateException(
                    script + " answered " + code + " with " + (size - 1) + " values against its header");
        }
        return form;
    }

    /** For a name that the form of this code does not have. */
    IllegalStateException unknown(ScriptCode code, String name) {
        return new IllegalStateException(script + " answers " + code + " without \"" + name + "\"");
    }
}
