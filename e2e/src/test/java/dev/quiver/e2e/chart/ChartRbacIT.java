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
        assertThat(own.getRules()).noneMatch(rule -> rule.getResources().contains("secrets"));
    }

    @Test
    void watchedNamespacesReplaceTheClusterRole() {
        Rendered chart = helm.render("operator.watchNamespaces={team-a,team-b}", "uninstall.releaseFinalizers=false");
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
    void nobodyReadsNodesNorReachesIntoPods() {
        assertThat(rules().flatMap(rule -> rule.getResources().stream()))
                .isNotEmpty()
                .noneMatch(resource -> resource.startsWith("pods/") || resource.startsWith("nodes"));
    }

    private static Stream<PolicyRule> rules() {
        Rendered chart = helm.render();
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
