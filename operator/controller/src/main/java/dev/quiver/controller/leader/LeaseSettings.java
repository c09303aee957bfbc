package dev.quiver.controller.leader;

/**
 * Where the Lease is and who asks for it.
 *
 * @param identity of this process: the same for a container that is started again in its pod, different for any other
 */
public record LeaseSettings(String namespace, String name, String identity) {}
