package dev.quiver.controller.store;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The servers of a deployment as INFO and CLUSTER NODES list them. Pure. */
final class Servers {

    private static final Pattern REPLICA = Pattern.compile("slave\\d+:ip=([^,]+),port=(\\d+),state=(\\w+).*");
    private static final Pattern CLUSTER_NODE =
            Pattern.compile("\\S+ (\\S+):(\\d+)(?:@\\S*)? (\\S+) .* (connected|disconnected)\\b.*");

    private Servers() {}

    /**
     * A server beside the one that answers: a replica, or any node of a cluster.
     *
     * @param state of a replica its state, of a cluster's node its flags
     * @param linked whether the server that answered has a connection to it
     */
    record Server(EachServer.Address address, String state, boolean linked) {

        /** Whether an answer can be expected: no call waits for a server that the others report as failed. */
        boolean reachable() {
            return linked && !state.contains("fail") && !gone();
        }

        /** Whether it is gone for all others as well: its state is another when it comes back. */
        boolean gone() {
            return state.contains("noaddr") || state.contains("handshake") || state.matches("(.*,)?fail(,.*)?");
        }

        boolean master() {
            return state.contains("master");
        }

        /** An identity that is the same whichever server answers. */
        String identity() {
            return "Server[host=" + address.host() + ", port=" + address.port() + ", state=" + state + "]";
        }
    }

    /** The replicas that a server's INFO lists. */
    static List<Server> replicas(String info) {
        return info.lines()
                .map(REPLICA::matcher)
                .filter(Matcher::matches)
                .map(m -> new Server(address(m), m.group(3), true))
                .toList();
    }

    /** The nodes that CLUSTER NODES lists, those without an address left out. */
    static List<Server> nodes(String list) {
        return list.lines()
                .map(CLUSTER_NODE::matcher)
                .filter(Matcher::matches)
                .map(m -> new Server(
                        address(m),
                        m.group(3).replace("myself,", ""),
                        m.group(4).equals("connected")))
                .toList();
    }

    private static EachServer.Address address(Matcher m) {
        return new EachServer.Address(m.group(1), Integer.parseInt(m.group(2)));
    }
}
