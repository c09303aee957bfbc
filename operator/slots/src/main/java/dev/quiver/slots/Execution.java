package dev.quiver.slots;

/** What a slot executes. */
public sealed interface Execution permits Command, HandlerCall {}
