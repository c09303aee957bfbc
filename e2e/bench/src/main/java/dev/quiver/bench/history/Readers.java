package dev.quiver.bench.history;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.bench.kube.ApiServer;

/**
 * The accounts on a real API server: history's own, with the chart's rights, and the reader of each namespace. A keyspace
 * is on record in a ConfigMap of its own, so several programs beside each other have one each.
 */
final class Readers {

    /** The operator's namespace. */
    static final String SYSTEM = "default";

    private static final String ACCOUNT = "quiver-history";
    private static final String READER = "quiver-reader";
    private static final String AUDIENCE = "read.history.quiver.dev";
    private static final String RBAC = "rbac.authorization.k8s.io";
    private static final long SECONDS = 12 * 3600;

    private final KubernetesClient client;
    private final Path folder;

    /**
     * A reader of the record of a namespace.
     *
     * @param namespace its name
     * @param namespaceUid its uid
     * @param token of its reader
     */
    record Reader(String namespace, String namespaceUid, String token) {}

    /** Makes the account of history; its token goes into the folder. */
    Readers(ApiServer api, Path folder) throws IOException {
        this.client = api.client();
        this.folder = folder;
        account(SYSTEM, ACCOUNT);
        client.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName(ACCOUNT)
                        .endMetadata()
                        .withNewRoleRef(RBAC, "ClusterRole", "system:auth-delegator")
                        .addNewSubject("", "ServiceAccount", ACCOUNT, SYSTEM)
                        .build())
                .create();
        client.resource(new ClusterRoleBuilder()
                        .withNewMetadata()
                        .withName(ACCOUNT + "-namespaces")
                        .endMetadata()
                        .withRules(reading("namespaces"))
                        .build())
                .create();
        client.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName(ACCOUNT + "-namespaces")
                        .endMetadata()
                        .withNewRoleRef(RBAC, "ClusterRole", ACCOUNT + "-namespaces")
                        .addNewSubject("", "ServiceAccount", ACCOUNT, SYSTEM)
                        .build())
                .create();
        client.resource(new RoleBuilder()
                        .withNewMetadata()
                        .withNamespace(SYSTEM)
                        .withName(ACCOUNT)
                        .endMetadata()
                        .withRules(reading("configmaps"))
                        .build())
                .create();
        client.resource(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withNamespace(SYSTEM)
                        .withName(ACCOUNT)
                        .endMetadata()
                        .withNewRoleRef(RBAC, "Role", ACCOUNT)
                        .addNewSubject("", "ServiceAccount", ACCOUNT, SYSTEM)
                        .build())
                .create();
        Files.writeString(folder.resolve("token"), token(SYSTEM, ACCOUNT, List.of()));
        Files.write(
                folder.resolve("ca.crt"),
                Base64.getDecoder().decode(client.getConfiguration().getCaCertData()));
    }

    private static PolicyRule reading(String resources) {
        return new PolicyRuleBuilder()
                .withApiGroups("")
                .withResources(resources)
                .withVerbs("get")
                .build();
    }

    /** The folder of history's account. */
    Path folder() {
        return folder;
    }

    /** Where the API server listens. */
    URI address() {
        return URI.create(client.getMasterUrl().toString());
    }

    /**
     * Puts a namespace's keyspace on record, in a ConfigMap of the namespace's name.
     *
     * @return its reader
     */
    Reader admit(String namespace) {
        String uid = client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .build())
                .create()
                .getMetadata()
                .getUid();
        client.resource(new ConfigMapBuilder()
                        .withNewMetadata()
                        .withNamespace(SYSTEM)
                        .withName(namespace)
                        .endMetadata()
                        .withData(Map.of(namespace, "epoch 1"))
                        .build())
                .create();
        account(namespace, READER);
        return new Reader(namespace, uid, token(namespace, READER, List.of(AUDIENCE)));
    }

    private void account(String namespace, String name) {
        client.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
    }

    private String token(String namespace, String account, List<String> audiences) {
        return client.serviceAccounts()
                .inNamespace(namespace)
                .withName(account)
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withAudiences(audiences)
                        .withExpirationSeconds(SECONDS)
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
    }
}
