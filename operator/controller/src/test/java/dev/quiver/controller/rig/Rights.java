package dev.quiver.controller.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.Serialization;

/** A user with the rights that the operator's DESIGN.md names: what it does not name, the API server refuses. */
final class Rights {

    private static final String USER = "quiver-operator-";

    private Rights() {}

    /** The configuration of a client that acts as the operator of that namespace, with the time-out that it has. */
    static Config grant(Config administrator, String namespace) {
        String user = USER + namespace;
        List<List<PolicyRule>> rules = designed();
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(administrator).build()) {
            client.resource(new ClusterRoleBuilder()
                            .withNewMetadata()
                            .withName(user)
                            .endMetadata()
                            .withRules(rules.get(0))
                            .build())
                    .serverSideApply();
            client.resource(new ClusterRoleBindingBuilder()
                            .withNewMetadata()
                            .withName(user)
                            .endMetadata()
                            .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", user)
                            .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                            .build())
                    .serverSideApply();
            client.resource(new RoleBuilder()
                            .withNewMetadata()
                            .withName(user)
                            .withNamespace(namespace)
                            .endMetadata()
                            .withRules(rules.get(1))
                            .build())
                    .serverSideApply();
            client.resource(new RoleBindingBuilder()
                            .withNewMetadata()
                            .withName(user)
                            .withNamespace(namespace)
                            .endMetadata()
                            .withNewRoleRef("rbac.authorization.k8s.io", "Role", user)
                            .addNewSubject("rbac.authorization.k8s.io", "User", user, null)
                            .build())
                    .serverSideApply();
        }
        return new ConfigBuilder(administrator)
                .withImpersonateUsername(user)
                .withRequestTimeout(Config.DEFAULT_REQUEST_TIMEOUT)
                .build();
    }

    private static List<List<PolicyRule>> designed() {
        try {
            String design = Files.readString(Path.of("DESIGN.md"));
            Matcher block =
                    Pattern.compile("(?s)```yaml\n(.*?)```").matcher(design.substring(design.indexOf("## RBAC")));
            List<List<PolicyRule>> lists = new ArrayList<>();
            while (block.find()) {
                String role = "apiVersion: rbac.authorization.k8s.io/v1\nkind: Role\nrules:\n" + block.group(1);
                lists.add(Serialization.unmarshal(role, Role.class).getRules());
            }
            return lists;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
