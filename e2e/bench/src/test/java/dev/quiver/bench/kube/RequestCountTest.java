package dev.quiver.bench.kube;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RequestCountTest {

    private static String line(String verb, String resource, String subresource, String count) {
        return "apiserver_request_total{code=\"200\",component=\"apiserver\",dry_run=\"\",group=\"quiver.dev\",resource=\""
                + resource + "\",scope=\"resource\",subresource=\"" + subresource + "\",verb=\"" + verb
                + "\",version=\"v1alpha1\"} " + count + "\n";
    }

    @Test
    void addsUpVerbsAndCodesOfAResource() {
        RequestCount count = RequestCount.parse("# HELP apiserver_request_total x\n" + line("GET", "tasksets", "", "3")
                + line("LIST", "tasksets", "", "1e+01"));
        assertThat(count.byResource()).containsEntry("tasksets", 13L);
    }

    @Test
    void keepsSubresourcesApartAndCountsThemWithTheirResource() {
        RequestCount before = RequestCount.parse(line("PATCH", "tasksets", "status", "2"));
        RequestCount after = RequestCount.parse(line("PATCH", "tasksets", "status", "7")
                + line("POST", "tasksets", "", "1")
                + line("PUT", "leases", "", "9"));
        assertThat(after.byResource()).containsKeys("tasksets/status", "tasksets", "leases");
        assertThat(after.since(before, "tasksets")).isEqualTo(6);
    }
}
