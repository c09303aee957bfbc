package dev.quiver.controller;

import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Reads variables of the environment; an empty one counts as unset. An invalid value is refused with a
 * {@link SettingsException} that names the variable and its value.
 */
record Variables(Map<String, String> environment) {

    Optional<String> optional(String name) {
        return Optional.ofNullable(environment.get(name)).filter(v -> !v.isBlank());
    }

    String text(String name) {
        return optional(name).orElseThrow(() -> new SettingsException(name + " is not set"));
    }

    String text(String name, String otherwise) {
        return optional(name).orElse(otherwise);
    }

    int number(String name, int otherwise, int least, int most) {
        String value = text(name, Integer.toString(otherwise));
        try {
            int number = Integer.parseInt(value);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException notANumber) {
            throw new SettingsException(name + "=" + value + " is not a whole number");
        }
        throw new SettingsException(name + "=" + value + " is not between " + least + " and " + most);
    }

    <T> T parsed(String name, String otherwise, Function<String, T> parser) {
        String value = text(name, otherwise);
        try {
            return parser.apply(value);
        } catch (RuntimeException e) {
            throw new SettingsException(name + "=" + value + " cannot be read: " + e.getMessage(), e);
        }
    }
}
