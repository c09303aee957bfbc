package dev.quiver.slots;

import java.util.Optional;

/** The rules of a locator: a payload's, which we write, and an output's, which the user's side wrote. Pure. */
final class Locators {
    private Locators() {}

    /** The fault of these bytes as a locator; empty for a good one. */
    static Optional<String> fault(byte[] bytes) {
        if (bytes.length < 1 || bytes.length > Payload.MAX_LOCATOR_BYTES) {
            return Optional.of(
                    "the locator has " + bytes.length + " bytes: allowed are 1 to " + Payload.MAX_LOCATOR_BYTES);
        }
        Optional<String> text = Texts.exact(bytes);
        if (text.isEmpty()) {
            return Optional.of("the locator is not valid UTF-8");
        }
        return text.get().codePoints().anyMatch(Character::isISOControl)
                ? Optional.of("the locator has a control character")
                : Optional.empty();
    }
}
