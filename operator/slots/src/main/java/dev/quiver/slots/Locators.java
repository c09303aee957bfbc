package dev.quiver.slots;

import java.util.Optional;

/** What may be a locator: a payload's, which we write, and an output's, which the user's side wrote. Pure. */
final class Locators {
    private Locators() {}

    /** What is wrong with these bytes as a locator; empty if nothing is. */
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
