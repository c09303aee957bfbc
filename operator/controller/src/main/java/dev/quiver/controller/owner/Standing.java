package dev.quiver.controller.owner;

import java.util.Optional;

/** Which installation serves a namespace. */
public sealed interface Standing {

    /**
     * This one.
     *
     * @param second another installation that watches the namespace as well, and leaves it alone
     */
    record Ours(Optional<String> second) implements Standing {}

    /**
     * Another one: this installation does nothing there.
     *
     * @param holder that other one
     */
    record Others(String holder) implements Standing {}
}
