package dev.quiver.lifecycle.task.model;

/** NumberBounds of numbers that people and programs write. */
public final class NumberBounds {

    private NumberBounds() {}

    /**
     * Refuses a number outside its bounds.
     *
     * @throws IllegalArgumentException with the field, the number and the bounds
     */
    public static void check(String field, long value, long least, long most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(field + " is " + value + ", " + least + " to " + most + " are allowed");
        }
    }
}
