package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The operator may do what its DESIGN.md says it does, and nothing else. */
class ChartRbacIT {
    private static Helm helm;

    @BeforeAll
    static void findsHelm() {
        helm = Helm.found();
    }

    @Test
    void clusterRulesAreThoseOfTheDesign() throws IOException {
        assertThat(helm.render().the(ClusterRole.class, "quiver-operator").getRules())
                .containsExactlyInAnyOrderElementsOf(designed().get(0));
    }

    @Test
    void rulesInTheOwnNamespaceAreThoseOfTheDesign() throws IOException {
        assertThat(helm.render().the(Role.class, "quiver-operator").getRules())
                .containsExactlyInAnyOrderElementsOf(designed().get(1));
    }

    @Test
    void externalRedisNeedsNoSecretOfOurOwn() {
        Role own = helm.render("redis.bundled=false", "redis.external.secretName=mine")
                .the(Role.class, "quiver-operator");
        assertThat(own.getRules())
                .filteredOn(rule -> rule.getResources().contains("secrets"))
                .flatExtracting(PolicyRule::getResourceNames)
                .containsExactly("quiver-redis-history");
        Role unrecorded = helm.render("redis.bundled=false", "redis.external.secretName=mine", "history.enabled=false")
                .the(Role.class, "quiver-operator");
        assertThat(unrecorded.getRules()).noneMatch(rule -> rule.getResources().contains("secrets"));
    }

    @Test
    void withoutHistoryNobodyMakesAccountsOrTokens() {
        assertThat(rules("history.enabled=false").flatMap(rule -> rule.getResources().stream()))
                .noneMatch(resource -> resource.startsWith("serviceaccounts") || resource.endsWith("/log"));
    }

    @Test
    void whoMayViewMayReadTheRecordOfItsNamespaceAndNobodyReachesIntoThePod() {
        assertThat(helm.render().the(ClusterRole.class, "quiver-view").getRules())
                .anySatisfy(rule -> {
                    assertThat(rule.getResources()).containsExactly("tasksets/log", "qtasks/log", "mapreducejobs/log");
                    assertThat(rule.getVerbs()).containsExactly("get");
                })
                .anySatisfy(rule -> {
                    assertThat(rule.getResources()).containsExactly("serviceaccounts/token");
                    assertThat(rule.getResourceNames()).containsExactly("quiver-reader");
                    assertThat(rule.getVerbs()).containsExactly("create");
                });
        assertThat(rules().filter(rule -> rule.getResources().contains("serviceaccounts/token")))
                .hasSize(1);
    }

    @Test
    void historyReadsTheKeyspacesOnRecordAndAsksForReviews() {
        Rendered chart = helm.render();
        assertThat(chart.the(Role.class, "quiver-history").getRules())
                .hasSize(2)
                .last()
                .satisfies(rule -> {
                    assertThat(rule.getResources()).containsExactly("events");
                    assertThat(rule.getVerbs()).containsExactly("create");
                });
        assertThat(helm.render("history.database.url=jdbc:postgresql://db/history")
                        .the(Role.class, "quiver-history")
                        .getRules())
                .as("without a file there is no event")
                .singleElement()
                .satisfies(rule -> {
                    assertThat(rule.getResources()).containsExactly("configmaps");
                    assertThat(rule.getVerbs()).containsExactly("get");
                    assertThat(rule.getResourceNames())
                            .isEqualTo(chart.the(Role.class, "quiver-operator").getRules().stream()
                                    .filter(own -> own.getResourceNames().contains("quiver-store-beats"))
                                    .flatMap(own -> own.getResourceNames().stream())
                                    .filter(name -> name.startsWith("quiver-store-beats"))
                                    .toList());
                });
        assertThat(chart.the(ClusterRoleBinding.class, "quiver-history-reviews")
                        .getRoleRef()
                        .getName())
                .isEqualTo("system:auth-delegator");
        assertThat(helm.render("history.reviews=false").has(ClusterRoleBinding.class, "quiver-history-reviews"))
                .isFalse();
    }

    @Test
    void readersOfTheRecordReachItsServiceByTheProxyAndNothingElse() {
        assertThat(helm.render().has(Role.class, "quiver-history-readers")).isFalse();
        Rendered chart = helm.render("history.readers[0].kind=Group", "history.readers[0].name=team-a");
        assertThat(chart.the(Role.class, "quiver-history-readers").getRules())
                .singleElement()
                .satisfies(rule -> {
                    assertThat(rule.getResources()).containsExactly("services/proxy");
                    assertThat(rule.getResourceNames()).containsExactly("https:quiver-history:8443");
                    assertThat(rule.getVerbs()).containsExactly("get");
                });
        RoleBinding binding = chart.the(RoleBinding.class, "quiver-history-readers");
        assertThat(binding.getRoleRef().getName()).isEqualTo("quiver-history-readers");
        assertThat(binding.getSubjects())
                .singleElement()
                .satisfies(subject -> assertThat(subject.getName()).isEqualTo("team-a"));
    }

    @Test
    void watchedNamespacesReplaceTheClusterRole() {
        Rendered chart = helm.render(
                "operator.watchNamespaces={team-a,team-b}",
                "uninstall.releaseFinalizers=false",
                "history.reviews=false");
        assertThat(chart.has(ClusterRole.class, "quiver-operator")).isFalse();
        assertThat(chart.all(ClusterRoleBinding.class)).isEmpty();
        List<Role> roles = chart.all(Role.class).stream()
                .filter(role -> role.getMetadata().getName().equals("quiver-operator-workloads"))
                .toList();
        assertThat(roles).extracting(role -> role.getMetadata().getNamespace()).containsExactly("team-a", "team-b");
        List<PolicyRule> everywhere =
                helm.render().the(ClusterRole.class, "quiver-operator").getRules();
        assertThat(roles).allSatisfy(role -> assertThat(role.getRules()).isEqualTo(everywhere));
    }

    @Test
    void historyTellsANamespaceFromAnotherOfItsName() {
        assertThat(helm.render()
                        .the(ClusterRole.class, "quiver-history-namespaces")
                        .getRules())
                .singleElement()
                .satisfies(ChartRbacIT::getsNamespaces);
        Rendered watching = helm.render("operator.watchNamespaces={team-a,team-b}");
        assertThat(watching.has(ClusterRole.class, "quiver-history-namespaces")).isFalse();
        assertThat(watching.all(Role.class).stream()
                        .filter(role -> role.getMetadata().getName().equals("quiver-history-namespace")))
                .hasSize(2)
                .allSatisfy(role -> assertThat(role.getRules()).singleElement().satisfies(ChartRbacIT::getsNamespaces));
        assertThat(rules("history.enabled=false").flatMap(rule -> rule.getResources().stream()))
                .doesNotContain("namespaces");
    }

    private static void getsNamespaces(PolicyRule rule) {
        assertThat(rule.getResources()).containsExactly("namespaces");
        assertThat(rule.getVerbs()).containsExactly("get");
    }

    @Test
    void nobodyReadsNodesNorReachesIntoPods() {
        assertThat(rules().flatMap(rule -> rule.getResources().stream()))
                .isNotEmpty()
                .noneMatch(resource -> resource.startsWith("pods/") || resource.startsWith("nodes"));
    }

    private static Stream<PolicyRule> rules(String... values) {
        Rendered chart = helm.render(values);
        return Stream.concat(
                chart.all(ClusterRole.class).stream().flatMap(role -> role.getRules().stream()),
                chart.all(Role.class).stream().flatMap(role -> role.getRules().stream()));
    }

    @Test
    void nobodyHasAWildcardOrListsSecrets() {
        assertThat(rules()).allSatisfy(rule -> {
            assertThat(rule.getVerbs()).doesNotContain("*");
            assertThat(rule.getResources()).doesNotContain("*");
            assertThat(rule.getApiGroups()).doesNotContain("*");
            if (rule.getResources().contains("secrets")) {
                assertThat(rule.getVerbs()).isSubsetOf("get", "patch", "create");
                if (!rule.getVerbs().contains("create")) {
                    assertThat(rule.getResourceNames()).isNotEmpty();
                }
            }
        });
    }

    @Test
    void everyBindingNamesARoleAndAnAccountOfTheChart() {
        Rendered chart = helm.render("operator.watchNamespaces={team-a}");
        for (RoleBinding binding : chart.all(RoleBinding.class)) {
            String role = binding.getRoleRef().getName();
            assertThat(chart.has(Role.class, role) || chart.has(ClusterRole.class, role))
                    .as(role)
                    .isTrue();
            assertThat(binding.getSubjects())
                    .allSatisfy(subject -> assertThat(subject.getNamespace()).isEqualTo("quiver-system"));
        }
    }

    /** The two lists under "RBAC" in the controller's DESIGN.md: for served namespaces, and for the operator's own. */
    private static List<List<PolicyRule>> designed() throws IOException {
        String design = Files.readString(Helm.file("operator/controller/DESIGN.md"));
        Matcher block = Pattern.compile("(?s)```yaml\n(.*?)```").matcher(design.substring(design.indexOf("## RBAC")));
        List<List<PolicyRule>> lists = new ArrayList<>();
        while (block.find()) {
            String role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules:\n" + block.group(1);
            lists.add(Serialization.unmarshal(role, Role.class).getRules());
        }
        assertThat(lists).as("lists of rules in operator/controller/DESIGN.md").hasSize(2);
        return lists;
    }
}
