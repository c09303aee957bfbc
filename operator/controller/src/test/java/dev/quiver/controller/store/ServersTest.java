package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

class ServersTest {

    private static final String NODES = """
            07c3 127.0.0.1:30004@31004,host slave e7d1 0 1426238317239 4 connected
            67ed 127.0.0.1:30002@31002 master - 0 1426238316232 2 connected 5461-10922
            292f 127.0.0.1:30003@31003 master,fail - 1426238316232 1426238318243 3 disconnected 10923-16383
            6ec2 127.0.0.1:30005@31005 master,fail? - 0 1426238316232 5 connected
            8241 127.0.0.1:30006@31006 slave 67ed 0 1426238317741 6 disconnected
            5f77 :0@0 master,noaddr - 1426238316232 1426238318243 7 disconnected
            1aaa 127.0.0.1:30009@31009 handshake - 0 0 0 connected
            e7d1 127.0.0.1:30001@31001 myself,master - 0 0 1 connected 0-5460
            """;

    private static List<Integer> ports(List<Servers.Server> servers) {
        return servers.stream().map(server -> server.address().port()).toList();
    }

    @Test
    void nodesThatTheOthersHoldForDeadAreNotDialled() {
        List<Servers.Server> nodes = Servers.nodes(NODES);
        assertThat(ports(nodes.stream().filter(Servers.Server::reachable).toList()))
                .containsExactly(30004, 30002, 30001);
        assertThat(ports(nodes.stream().filter(Servers.Server::gone).toList()))
                .as("each has another state when it comes back")
                .containsExactly(30003, 30009);
    }

    @Test
    void whichNodeAnswersIsNoDifference() {
        String other =
                NODES.replace("myself,master", "master").replace("30002@31002 master", "30002@31002 myself,master");
        assertThat(identities(other)).isEqualTo(identities(NODES));
        assertThat(identities(NODES.replace("master,fail ", "master "))).isNotEqualTo(identities(NODES));
    }

    private static List<String> identities(String nodes) {
        return Servers.nodes(nodes).stream().map(Servers.Server::identity).toList();
    }

    @Test
    void replicasAreListedByInfo() {
        assertThat(Servers.replicas("role:master\nslave0:ip=10.0.0.1,port=6380,state=online,offset=1,lag=0\n"))
                .singleElement()
                .satisfies(replica -> {
                    assertThat(replica.address()).hasToString("10.0.0.1:6380");
                    assertThat(replica.reachable()).isTrue();
                });
    }
}
