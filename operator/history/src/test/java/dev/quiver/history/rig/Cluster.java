package dev.quiver.history.rig;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;

import dev.quiver.history.kube.KubernetesApi;

/** Accounts, their tokens and their rights on a real API server, and the account of history itself. */
public final class Cluster {

    /** The audience that opens the record. */
    public static final String AUDIENCE = "read.history.quiver.dev";

    private static final String RBAC = "rbac.authorization.k8s.io";

    private final KubernetesClient client;
    private final Path folder;

    /**
     * Makes the account of history in the client's namespace, with the rights that the chart gives it.
     *
     * @param folder takes its token and the API server's authority
     */
    public Cluster(KubernetesClient client, Path folder) {
        this.client = client;
        this.folder = folder;
        account(client.getNamespace(), "quiver-history");
        client.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName("history-" + client.getNamespace())
                        .endMetadata()
                        .withNewRoleRef(RBAC, "ClusterRole", "system:auth-delegator")
                        .addNewSubject("", "ServiceAccount", "quiver-history", client.getNamespace())
                        .build())
                .create();
        may(client.getNamespace(), "quiver-history", "get", "", "configmaps");
        bindEverywhere(client.getNamespace(), "quiver-history", "", "get", "namespaces");
        try {
            Files.writeString(folder.resolve("token"), token(client.getNamespace(), "quiver-history", List.of()));
            Files.write(
                    folder.resolve("ca.crt"),
                    Base64.getDecoder().decode(client.getConfiguration().getCaCertData()));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder with token and authority. */
    public Path folder() {
        return folder;
    }

    /** Where the API server listens. */
    public URI address() {
        return client.getMasterUrl().toString().isEmpty()
                ? URI.create("https://127.0.0.1")
                : URI.create(client.getMasterUrl().toString());
    }

    /** As history asks it. */
    public KubernetesApi api() {
        return new KubernetesApi(address(), folder);
    }

    /** The uid of a namespace. */
    public String uid(String namespace) {
        return client.namespaces().withName(namespace).get().getMetadata().getUid();
    }

    /** Gives an account a verb on resources of the group quiver.dev in all namespaces. */
    public void mayEverywhere(String namespace, String account, String verb, String... resources) {
        bindEverywhere(namespace, account, "quiver.dev", verb, resources);
    }

    private void bindEverywhere(String namespace, String account, String group, String verb, String... resources) {
        String name = namespace + "-" + account + "-" + verb + "-"
                + Integer.toHexString(List.of(resources).hashCode());
        client.resource(new ClusterRoleBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withRules(new PolicyRuleBuilder()
                                .withApiGroups(group)
                                .withResources(resources)
                                .withVerbs(verb)
                                .build())
                        .build())
                .create();
        client.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewRoleRef(RBAC, "ClusterRole", name)
                        .addNewSubject("", "ServiceAccount", account, namespace)
                        .build())
                .create();
    }

    /** A namespace of this class, by a word that no other test uses. */
    public String namespace(String word) {
        String name = client.getNamespace() + "-" + word;
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
        return name;
    }

    /** An account without rights. */
    public void account(String namespace, String name) {
        client.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
    }

    /** Ends an account: its tokens are worth nothing then. */
    public void removeAccount(String namespace, String name) {
        client.serviceAccounts().inNamespace(namespace).withName(name).delete();
    }

    /** A token of an account. Without audiences it is for the API server. */
    public String token(String namespace, String account, List<String> audiences) {
        TokenRequest request = new TokenRequestBuilder()
                .withNewSpec()
                .withAudiences(audiences)
                .withExpirationSeconds(3600L)
                .endSpec()
                .build();
        return client.serviceAccounts()
                .inNamespace(namespace)
                .withName(account)
                .tokenRequest(request)
                .getStatus()
                .getToken();
    }

    /** A token of a pod that runs as an account, as kubelet projects it for an audience. The pod never starts. */
    public String podToken(String namespace, String account, String pod, String audience) {
        client.resource(new PodBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(pod)
                        .endMetadata()
                        .withNewSpec()
                        .withServiceAccountName(account)
                        .addNewContainer()
                        .withName("worker")
                        .withImage("none")
                        .endContainer()
                        .endSpec()
                        .build())
                .create();
        TokenRequest request = new TokenRequestBuilder()
                .withNewSpec()
                .withAudiences(audience)
                .withExpirationSeconds(3600L)
                .withNewBoundObjectRef()
                .withKind("Pod")
                .withApiVersion("v1")
                .withName(pod)
                .endBoundObjectRef()
                .endSpec()
                .build();
        return client.serviceAccounts()
                .inNamespace(namespace)
                .withName(account)
                .tokenRequest(request)
                .getStatus()
                .getToken();
    }

    /** Ends a pod at once: a token that is bound to it is worth nothing then. */
    public void removePod(String namespace, String pod) {
        client.pods().inNamespace(namespace).withName(pod).withGracePeriod(0).delete();
    }

    /** Gives an account of the namespace a verb on resources of a group there. */
    public void may(String namespace, String account, String verb, String group, String... resources) {
        String name = account + "-" + verb + "-"
                + Integer.toHexString(Map.of(verb, List.of(resources)).hashCode());
        client.resource(new RoleBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .endMetadata()
                        .withRules(new PolicyRuleBuilder()
                                .withApiGroups(group)
                                .withResources(resources)
                                .withVerbs(verb)
                                .build())
                        .build())
                .create();
        client.resource(new RoleBindingBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName(name)
                        .endMetadata()
                        .withNewRoleRef(RBAC, "Role", name)
                        .addNewSubject("", "ServiceAccount", account, namespace)
                        .build())
                .create();
    }
}
