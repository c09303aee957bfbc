package dev.quiver.slots;

/** The program of a slot's task. */
public sealed interface SlotProgram permits Command, HandlerCall {}
