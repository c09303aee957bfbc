package dev.quiver.controller.pool.probe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.quiver.controller.pool.probe.ProbeHosts.Target;

/** Which servers a pool may have the operator ask. */
class ProbeHostsTest {

    private static final ProbeHosts USUAL = ProbeHosts.read("services");

    @ParameterizedTest
    @CsvSource({"imap,imap.team-a.svc", "IMAP,imap.team-a.svc", "imap.team-a.svc,imap.team-a.svc"})
    void aServiceOfItsNamespaceIsAskedByItsNameInTheCluster(String host, String target) {
        assertThat(USUAL.target(host, "team-a")).contains(new Target(target, false));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "imap.team-b.svc",
                "imap.team-a.svc.example.org",
                "imap.team-a",
                "a.imap.team-a.svc",
                "example.org",
                "10.96.0.1",
                "localhost.localdomain"
            })
    void nothingElseIsAskedWithoutAnAdministratorsWord(String host) {
        assertThat(USUAL.target(host, "team-a")).isEmpty();
    }

    @Test
    void emptySettingAsksNobody() {
        assertThat(ProbeHosts.read("").target("imap", "team-a")).isEmpty();
    }

    @Test
    void patternsHaveAllBelowThemAndNotTheirOwnName() {
        ProbeHosts hosts = ProbeHosts.read("*.example.org, api.example.com");
        assertThat(hosts.target("status.example.org", "a")).contains(new Target("status.example.org", false));
        assertThat(hosts.target("API.example.com", "a")).contains(new Target("api.example.com", true));
        assertThat(hosts.target("example.org", "a")).isEmpty();
        assertThat(hosts.target("badexample.org", "a")).isEmpty();
        assertThat(hosts.target("imap", "a")).isEmpty();
        assertThat(ProbeHosts.read("*").target("any.where", "a")).contains(new Target("any.where", false));
    }

    /** A name is anybody's to give: what it leads to is looked at as well. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1,false",
        "169.254.169.254,false",
        "0.0.0.0,false",
        "224.0.0.1,false",
        "::1,false",
        "fe80::1,false",
        "10.96.0.20,true",
        "203.0.113.5,true"
    })
    void addressesOfTheOperatorsMachineAreAskedOnlyByNameOfTheAdministrator(String address, boolean allowed)
            throws UnknownHostException {
        InetAddress at = InetAddress.getByName(address);
        assertThat(new Target("imap.a.svc", false).allows(at)).isEqualTo(allowed);
        assertThat(new Target("imap.a.svc", true).allows(at)).isTrue();
    }

    @Test
    void theMachinesOwnAddressIsOursToo() throws SocketException {
        InetAddress own = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(address -> !address.isLoopbackAddress() && !address.isLinkLocalAddress())
                .findFirst()
                .orElse(InetAddress.getLoopbackAddress());
        assertThat(new Target("imap.a.svc", false).allows(own)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://a.example.org", "a b", "*.*.org", "*example.org", "a..b", "imap"})
    void whatIsNoHostIsRefusedByName(String text) {
        assertThatThrownBy(() -> ProbeHosts.read("services," + text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("\"" + text + "\" is no name of a host with a dot, nor *. before one, nor *");
    }

    @Test
    void namesInTheSettingMayHaveBlanksAround() {
        assertThat(ProbeHosts.read(" services , a.example.org ,").target("a.example.org", "x"))
                .isEqualTo(Optional.of(new Target("a.example.org", true)));
    }
}
