package dev.quiver.slots;

/** The program of a slot's task. */
public sealed interface Execution permits Command, HandlerCall {}
