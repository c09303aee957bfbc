package dev.quiver.lifecycle.taskset;

import java.util.Map;

/**
 * {@code $(NAME)} as Kubernetes expands it in commands and environment: {@code $$} is a dollar sign that starts nothing,
 * a reference to an unknown name stays as it is, and what was put in is not expanded again.
 */
final class References {

    private References() {}

    static String expand(String text, Map<String, String> known) {
        int dollar = text.indexOf('$');
        if (dollar < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        int at = 0;
        while (dollar >= 0 && dollar + 1 < text.length()) {
            out.append(text, at, dollar);
            char next = text.charAt(dollar + 1);
            int close = next == '(' ? text.indexOf(')', dollar + 2) : -1;
            if (next == '$') {
                out.append('$');
                at = dollar + 2;
            } else if (close > 0) {
                String value = known.get(text.substring(dollar + 2, close));
                out.append(value == null ? text.substring(dollar, close + 1) : value);
                at = close + 1;
            } else {
                out.append('$');
                at = dollar + 1;
            }
            dollar = text.indexOf('$', at);
        }
        return out.append(text, at, text.length()).toString();
    }
}
