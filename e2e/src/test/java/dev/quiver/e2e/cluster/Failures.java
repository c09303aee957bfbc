package dev.quiver.e2e.cluster;

/**
 * Failures of machines, made at once and undone by the test that made them. Nodes are named as in the API; parts are
 * {@code etcd}, {@code apiserver}, {@code controller-manager}, {@code scheduler}, {@code coredns}, {@code proxy}.
 */
public interface Failures {

    /** Power loss: every process of the node is gone, its disk stays. The API notices after 12 s. */
    void killNode(String node);

    /** Boots a killed node again, with its disk. */
    void startNode(String node);

    /** Stops every process of the node where it stands (SIGSTOP). */
    void pauseNode(String node);

    /** Lets a paused node go on (SIGCONT). */
    void resumeNode(String node);

    /** Takes the node off the network; its pods go on by themselves. */
    void cutNode(String node);

    /** Undoes {@link #cutNode}. */
    void mendNode(String node);

    /** Kills a part of the control plane, which stays down. */
    void stopPart(String part);

    /** Starts a stopped part; it may take some seconds to serve. */
    void startPart(String part);
}
