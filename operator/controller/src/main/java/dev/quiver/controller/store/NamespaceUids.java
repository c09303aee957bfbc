package dev.quiver.controller.store;

/** The uid of the namespace that has a name now. Thread-safe. */
@FunctionalInterface
public interface NamespaceUids {

    /** Where nobody asks for them. */
    NamespaceUids UNKNOWN = namespace -> "";

    /** The uid; empty where there is no such namespace, or nobody may know. */
    String of(String namespace);
}
