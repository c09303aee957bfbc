package dev.quiver.controller.leader;

/**
 * The place of the Lease and the identity of this process.
 *
 * @param identity of this process: the same for a container that is started again in its pod, different for any other
 */
public record LeaseSettings(String namespace, String name, String identity) {

    /** The installation, which is the same for all of its processes and for no other installation in the cluster. */
    public String installation() {
        return namespace + "/" + name;
    }
}
