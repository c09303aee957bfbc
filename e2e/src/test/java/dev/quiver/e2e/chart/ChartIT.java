package dev.quiver.e2e.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyIngressRule;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ChartIT {
    private static Helm helm;

    @BeforeAll
    static void findsHelm() {
        helm = Helm.found();
    }

    @Test
    void lintFindsNothing() {
        Helm.Outcome lint = helm.lint();
        assertThat(lint.status()).as(lint.out() + lint.err()).isZero();
        assertThat(lint.out()).doesNotContain("[WARNING]").doesNotContain("[ERROR]");
    }

    @Test
    void crdsAreTheGeneratedOnesAndKeptWhenTheChartGoes() throws IOException {
        List<GenericKubernetesResource> rendered = helm.render().objects().stream()
                .filter(object -> object.getKind().equals("CustomResourceDefinition"))
                .toList();
        assertThat(rendered).hasSize(4);
        for (GenericKubernetesResource crd : rendered) {
            assertThat(crd.getMetadata().getAnnotations()).containsEntry("helm.sh/resource-policy", "keep");
            String name = crd.getMetadata().getName();
            String generated = Files.readString(
                    Helm.file("crds/src/main/resources/META-INF/quiver").resolve(name + ".yaml"));
            // As JSON: 1000000 and 1e+06 are the same number there.
            assertThat(spec(crd)).isEqualTo(spec(Serialization.unmarshal(generated, GenericKubernetesResource.class)));
        }
        assertThat(helm.render("crds.install=false").all(CustomResourceDefinition.class))
                .isEmpty();
    }

    private static JsonNode spec(GenericKubernetesResource crd) {
        return Serialization.unmarshal(Serialization.asJson(crd), JsonNode.class)
                .get("spec");
    }

    @ParameterizedTest
    @ValueSource(strings = {"redis.bundled=true", "redis.bundled=false,redis.external.secretName=mine"})
    void everyPodMeetsTheRestrictedStandardAndWritesNoRootFileSystem(String values) {
        Rendered chart = helm.render(values);
        assertThat(chart.pods()).isNotEmpty();
        chart.pods().forEach((owner, pod) -> {
            assertThat(pod.getSpec().getSecurityContext().getRunAsNonRoot())
                    .as(owner)
                    .isTrue();
            assertThat(pod.getSpec().getSecurityContext().getRunAsUser())
                    .as(owner)
                    .isPositive();
            assertThat(pod.getSpec().getSecurityContext().getSeccompProfile().getType())
                    .as(owner)
                    .isEqualTo("RuntimeDefault");
            assertThat(pod.getSpec().getVolumes())
                    .as(owner)
                    .allMatch(volume -> volume.getHostPath() == null, "is no hostPath");
        });
        assertThat(chart.containers()).allSatisfy(container -> {
            assertThat(container.getSecurityContext().getAllowPrivilegeEscalation())
                    .isFalse();
            assertThat(container.getSecurityContext().getReadOnlyRootFilesystem())
                    .isTrue();
            assertThat(container.getSecurityContext().getCapabilities().getDrop())
                    .containsExactly("ALL");
        });
    }

    @Test
    void everyContainerSaysWhatItNeeds() {
        assertThat(helm.render().containers()).allSatisfy(container -> {
            assertThat(container.getResources().getRequests()).containsKeys("cpu", "memory");
            assertThat(container.getResources().getLimits()).containsKey("memory");
        });
        assertThat(helm.render().containers().filter(container -> container.getLivenessProbe() != null))
                .extracting(Container::getName)
                .containsExactlyInAnyOrder("operator", "redis", "history");
    }

    @Test
    void theOperatorHasFiveMinutesToStartOnABusyNode() {
        assertThat(helm.render().containers().filter(it -> it.getName().equals("operator")))
                .singleElement()
                .satisfies(operator -> {
                    Probe startup = operator.getStartupProbe();
                    assertThat(startup.getPeriodSeconds() * startup.getFailureThreshold())
                            .isEqualTo(300);
                    assertThat(operator.getLivenessProbe().getTimeoutSeconds()).isEqualTo(5);
                });
    }

    @Test
    void oneValueNamesTheRegistryOfOurImagesAndAnotherThatOfRedis() {
        Rendered chart = helm.render(
                "image.registry=registry.example.com/mirror", "redis.image.registry=", "image.pullSecrets={pull}");
        assertThat(chart.containers().map(Container::getImage))
                .isNotEmpty()
                .allMatch(image -> image.startsWith("registry.example.com/mirror/"));
        assertThat(environment(chart, "operator").get("QUIVER_WORKER_IMAGE"))
                .isEqualTo("registry.example.com/mirror/quiver/worker:" + Helm.version());
        assertThat(chart.pods().values())
                .allSatisfy(pod -> assertThat(pod.getSpec().getImagePullSecrets())
                        .extracting("name")
                        .containsExactly("pull"));
    }

    /** Each image by its own digest, which the tag beside it does not weaken. */
    @Test
    void anImageWithADigestIsTakenByItAlone() {
        String operator = "sha256:" + "0123456789abcdef".repeat(4);
        String worker = "sha256:" + "1".repeat(64);
        String redis = "sha256:" + "2".repeat(64);
        Rendered chart = helm.render(
                "operator.image.digest=" + operator,
                "operator.image.tag=other",
                "worker.image.digest=" + worker,
                "redis.image.digest=" + redis);
        assertThat(chart.containers().map(Container::getImage).distinct())
                .containsExactlyInAnyOrder(
                        "registry.example.com/quiver/operator@" + operator, "docker.io/library/redis@" + redis);
        assertThat(environment(chart, "operator").get("QUIVER_WORKER_IMAGE"))
                .isEqualTo("registry.example.com/quiver/worker@" + worker);
        assertThat(helm.render("operator.image.digest=" + operator).containers().map(Container::getImage))
                .as("the others keep their tags")
                .contains("docker.io/library/redis:7");
    }

    /** A default would be a public registry, and an image there a stranger's. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "image.registry=",
                "image.registry=,operator.image.registry=registry.example.com",
                "image.registry=,worker.image.registry=registry.example.com",
                "image.registry=/,redis.image.registry=registry.example.com"
            })
    void refusesToGuessTheRegistryOfOurImages(String values) {
        assertThat(helm.refusal(values))
                .contains("image.registry must name the registry that holds quiver/operator and quiver/worker");
    }

    @Test
    void noValueNamesARegistryOfOurImagesByItself() {
        assertThat(helm.render(
                                "image.registry=,operator.image.registry=one.example.com,worker.image.registry=two.example.com")
                        .containers()
                        .map(Container::getImage)
                        .distinct())
                .containsExactlyInAnyOrder(
                        "one.example.com/quiver/operator:" + Helm.version(), "docker.io/library/redis:7");
    }

    /** The install line of the README: our images from the registry that it names, Redis from where it always is. */
    @Test
    void readmesInstallLineTakesOurImagesFromTheUsersRegistryAndRedisFromTheUsual() throws IOException {
        String readme = Files.readString(Helm.file("README.md"));
        Matcher values = Pattern.compile("--set (image\\.registry=(\\S+))").matcher(readme);
        assertThat(values.find()).as("README.md sets the registry").isTrue();
        Rendered chart = helm.render(values.group(1));
        String ours = values.group(2) + "/quiver/";
        assertThat(chart.containers().map(Container::getImage).distinct())
                .containsExactlyInAnyOrder(ours + "operator:" + Helm.version(), "docker.io/library/redis:7");
        assertThat(environment(chart, "operator").get("QUIVER_WORKER_IMAGE"))
                .isEqualTo(ours + "worker:" + Helm.version());
        assertThat(readme.substring(0, values.start()))
                .as("what is installed is built and brought there before")
                .contains("    e2e/run images --kind kind\n");
        assertThat(Files.readString(Helm.file("e2e/lib/images.sh")))
                .as("the line that follows the images is README's")
                .contains(readme.substring(0, values.start(2))
                        .lines()
                        .toList()
                        .getLast()
                        .strip());
    }

    @Test
    void bundledRedisKeepsWhatItWasToldAndForgetsNothingToMakeRoom() {
        Rendered chart = helm.render("redis.extraConfig=hz 20");
        assertThat(chart.the(ConfigMap.class, "quiver-redis").getData().get("redis.conf"))
                .contains("\nappendonly yes\n", "\nappendfsync everysec\n", "\nauto-aof-rewrite-min-size 1gb\n")
                .contains("\nmaxmemory-policy noeviction\n", "\naclfile /data/users.acl\n", "\nhz 20");
        StatefulSet redis = chart.the(StatefulSet.class, "quiver-redis");
        assertThat(redis.getSpec().getReplicas()).isEqualTo(1);
        assertThat(redis.getSpec().getTemplate().getSpec().getAutomountServiceAccountToken())
                .isFalse();
    }

    @Test
    void aRedisThatIsStuckHasAMinuteAndIsThenKilledSoon() {
        Probe alive = redisLiveness();
        assertThat(alive.getTimeoutSeconds()).isEqualTo(10);
        assertThat(alive.getPeriodSeconds() * alive.getFailureThreshold()).isGreaterThanOrEqualTo(60);
        assertThat(alive.getTerminationGracePeriodSeconds()).isEqualTo(10);
    }

    /** The probe's own command, with a client that answers as redis-cli prints it. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    PONG                                                                                   | true
                    LOADING Redis is loading the dataset in memory                                         | true
                    MISCONF Errors writing to the AOF file: No space left on device                        | true
                    BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE. | false
                    ''                                                                                     | false
                    """)
    void onlyBusyAndSilenceEndRedis(String answer, boolean alive, @TempDir Path folder) throws Exception {
        Path client = folder.resolve("redis-cli");
        Files.writeString(client, "#!/bin/sh\nprintf '%s\\n' '" + answer + "'\n");
        Files.setPosixFilePermissions(client, PosixFilePermissions.fromString("rwx------"));
        ProcessBuilder probe = new ProcessBuilder(redisLiveness().getExec().getCommand()).inheritIO();
        probe.environment().merge("PATH", folder.toString(), (path, first) -> first + ":" + path);
        assertThat(probe.start().waitFor() == 0).isEqualTo(alive);
    }

    private static Probe redisLiveness() {
        return helm.render()
                .containers()
                .filter(container -> container.getName().equals("redis"))
                .findFirst()
                .orElseThrow()
                .getLivenessProbe();
    }

    /** A volume that kubelet does not give to a group keeps the uid that wrote it. */
    @ParameterizedTest
    @CsvSource({"redis.bundled=true,10999", "redis.runAsUser=999,999", "redis.runAsUser=1000650000,1000650000"})
    void redisRunsAsTheUidThatOwnsItsData(String value, long uid) {
        PodSpec pod = helm.render(value)
                .the(StatefulSet.class, "quiver-redis")
                .getSpec()
                .getTemplate()
                .getSpec();
        assertThat(pod.getSecurityContext())
                .extracting(
                        PodSecurityContext::getRunAsUser,
                        PodSecurityContext::getRunAsGroup,
                        PodSecurityContext::getFsGroup)
                .containsExactly(uid, uid, uid);
        assertThat(pod.getContainers().getFirst().getCommand().getLast()).contains("set redis.runAsUser");
    }

    @Test
    void changedRedisConfigurationRestartsRedis() {
        assertThat(configHash(helm.render("redis.maxmemory=1gb"))).isNotEqualTo(configHash(helm.render()));
    }

    private static String configHash(Rendered chart) {
        return chart.the(StatefulSet.class, "quiver-redis")
                .getSpec()
                .getTemplate()
                .getMetadata()
                .getAnnotations()
                .get("quiver.dev/config-hash");
    }

    @Test
    void passwordIsNobodysTemplate() {
        Rendered chart = helm.render();
        assertThat(chart.all(Secret.class))
                .extracting(secret -> secret.getMetadata().getName())
                .containsExactly("quiver-history-tls");
        Container redis = chart.containers()
                .filter(container -> container.getName().equals("redis"))
                .findFirst()
                .orElseThrow();
        assertThat(redis.getEnv())
                .singleElement()
                .satisfies(variable -> assertThat(
                                variable.getValueFrom().getSecretKeyRef().getName())
                        .isEqualTo(environment(chart, "init-secret").get("QUIVER_REDIS_SECRET")));
    }

    @Test
    void dataOfRedisIsInAnEmptyDirUnlessAVolumeIsAskedFor() {
        StatefulSet plain = helm.render().the(StatefulSet.class, "quiver-redis");
        assertThat(plain.getSpec().getVolumeClaimTemplates()).isEmpty();
        assertThat(volume(plain, "data").getEmptyDir()).isNotNull();

        StatefulSet claimed = helm.render(
                        "redis.persistence.enabled=true",
                        "redis.persistence.storageClassName=fast",
                        "redis.persistence.size=20Gi")
                .the(StatefulSet.class, "quiver-redis");
        assertThat(claimed.getSpec().getVolumeClaimTemplates())
                .singleElement()
                .satisfies(claim ->
                        assertThat(claim.getSpec().getStorageClassName()).isEqualTo("fast"));

        StatefulSet existing = helm.render("redis.persistence.enabled=true", "redis.persistence.existingClaim=mine")
                .the(StatefulSet.class, "quiver-redis");
        assertThat(existing.getSpec().getVolumeClaimTemplates()).isEmpty();
        assertThat(volume(existing, "data").getPersistentVolumeClaim().getClaimName())
                .isEqualTo("mine");
    }

    private static Volume volume(StatefulSet set, String name) {
        return set.getSpec().getTemplate().getSpec().getVolumes().stream()
                .filter(volume -> volume.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void externalRedisLeavesOnlyItsSecretMounted() {
        Rendered chart = helm.render("redis.bundled=false", "redis.external.secretName=our-redis");
        assertThat(chart.has(StatefulSet.class, "quiver-redis")).isFalse();
        assertThat(chart.has(Service.class, "quiver-redis")).isFalse();
        assertThat(chart.has(NetworkPolicy.class, "quiver-redis")).isFalse();
        Deployment operator = chart.the(Deployment.class, "quiver-operator");
        assertThat(operator.getSpec().getTemplate().getSpec().getInitContainers())
                .isEmpty();
        assertThat(operator.getSpec().getTemplate().getSpec().getVolumes()).anySatisfy(volume -> {
            assertThat(volume.getName()).isEqualTo("redis");
            assertThat(volume.getSecret().getSecretName()).isEqualTo("our-redis");
        });
    }

    @Test
    void tenantsSecretsAreMountedByNamespace() {
        Rendered chart = helm.render("tenancy.mode=secrets", "tenancy.secrets.team-a=redis-a");
        Container operator = chart.containers()
                .filter(container -> container.getName().equals("operator"))
                .findFirst()
                .orElseThrow();
        assertThat(environment(chart, "operator"))
                .containsEntry("QUIVER_TENANCY", "secrets")
                .containsEntry("QUIVER_TENANTS_DIR", "/quiver/tenants");
        assertThat(operator.getVolumeMounts()).anySatisfy(mount -> {
            assertThat(mount.getMountPath()).isEqualTo("/quiver/tenants/team-a");
            assertThat(mount.getReadOnly()).isTrue();
        });
    }

    @Test
    void budgetIsThereOnlyWhereAStandbyCanTakeOver() {
        assertThat(helm.render().all(PodDisruptionBudget.class)).isEmpty();
        assertThat(helm.render("operator.replicas=2").has(PodDisruptionBudget.class, "quiver-operator"))
                .isTrue();
    }

    @Test
    void networkPolicyLetsOnlyOperatorWorkersAndProgramsReachRedis() {
        NetworkPolicy policy = helm.render().the(NetworkPolicy.class, "quiver-redis");
        assertThat(policy.getSpec().getPolicyTypes()).containsExactly("Ingress", "Egress");
        assertThat(policy.getSpec().getEgress()).isEmpty();
        assertThat(policy.getSpec().getIngress())
                .singleElement()
                .satisfies(rule -> assertThat(rule.getFrom())
                        .extracting(from -> from.getPodSelector().getMatchLabels())
                        .extracting(labels -> labels.getOrDefault("app.kubernetes.io/component", labels.toString()))
                        .containsExactly("operator", "history", "test"));
        assertThat(helm.render("networkPolicy.enabled=false").all(NetworkPolicy.class))
                .isEmpty();
    }

    /** Anybody may set the labels of a pod: which namespaces count is for the operator to write, who knows the pools. */
    @Test
    void labelsAloneOpenRedisToNoNamespace() {
        NetworkPolicy tenants = helm.render().the(NetworkPolicy.class, "quiver-redis-tenants");
        assertThat(tenants.getSpec().getIngress()).isEmpty();
        assertThat(tenants.getSpec().getPolicyTypes()).containsExactly("Ingress");
        assertThat(environment(helm.render(), "operator")).containsEntry("QUIVER_REDIS_POLICY", "quiver-redis-tenants");
        assertThat(environment(helm.render("networkPolicy.enabled=false"), "operator"))
                .doesNotContainKey("QUIVER_REDIS_POLICY");
    }

    @Test
    void workerPodsAreClosedOnlyWhereTheirNamespaceIsNamed() {
        assertThat(helm.render().has(NetworkPolicy.class, "quiver-workers")).isFalse();
        assertThat(helm.render("operator.watchNamespaces={team-a}").has(NetworkPolicy.class, "quiver-workers"))
                .isFalse();
        assertThat(helm.render("networkPolicy.workers.namespaces={team-a,team-b}")
                        .all(NetworkPolicy.class))
                .filteredOn(policy -> policy.getMetadata().getName().equals("quiver-workers"))
                .allSatisfy(
                        policy -> assertThat(policy.getSpec().getPodSelector().getMatchLabels())
                                .containsOnly(
                                        Map.entry("app.kubernetes.io/managed-by", "quiver"),
                                        Map.entry("app.kubernetes.io/component", "worker")))
                .extracting(policy -> policy.getMetadata().getNamespace())
                .containsExactly("team-a", "team-b");
    }

    /** Policies add up: a port without a `from` would be open to everybody in a namespace that denies all ingress. */
    @Test
    void aWorkersPolicyOpensNothingButToThoseWhoAreNamed() {
        assertThat(workersPolicy().getSpec().getPolicyTypes()).containsExactly("Ingress");
        assertThat(workersPolicy().getSpec().getIngress()).isEmpty();
        NetworkPolicyIngressRule metrics = onlyRule("metricsFrom[0].namespaceSelector.matchLabels.name=monitoring");
        assertThat(metrics.getFrom()).hasSize(1);
        assertThat(metrics.getPorts())
                .extracting(port -> port.getPort().getIntVal(), NetworkPolicyPort::getEndPort)
                .containsExactly(tuple(9464, null));
        NetworkPolicyIngressRule others = onlyRule("otherPortsFrom[0].podSelector.matchLabels.app=client");
        assertThat(others.getFrom()).hasSize(1);
        assertThat(others.getPorts())
                .filteredOn(port -> port.getProtocol().equals("TCP"))
                .extracting(port -> port.getPort().getIntVal(), NetworkPolicyPort::getEndPort)
                .containsExactly(tuple(1, 9463), tuple(9465, 65535));
    }

    private static NetworkPolicyIngressRule onlyRule(String value) {
        List<NetworkPolicyIngressRule> rules =
                workersPolicy("networkPolicy.workers." + value).getSpec().getIngress();
        assertThat(rules).hasSize(1);
        return rules.getFirst();
    }

    private static NetworkPolicy workersPolicy(String... values) {
        return helm.render(Stream.concat(Stream.of("networkPolicy.workers.namespaces={team-a}"), Stream.of(values))
                        .toArray(String[]::new))
                .the(NetworkPolicy.class, "quiver-workers");
    }

    @Test
    void uninstallHookRunsTheOperatorsOwnCommand() {
        Job job = helm.render("operator.logFormat=text").the(Job.class, "quiver-uninstall");
        assertThat(job.getMetadata().getAnnotations()).containsEntry("helm.sh/hook", "pre-delete");
        assertThat(job.getSpec().getTemplate().getSpec().getContainers())
                .singleElement()
                .satisfies(container -> {
                    assertThat(container.getArgs()).containsExactly("release-finalizers");
                    assertThat(container.getEnv()).contains(new EnvVar("QUIVER_LOG_FORMAT", "text", null));
                });
        assertThat(helm.render("uninstall.releaseFinalizers=false").all(Job.class))
                .isEmpty();
    }

    @Test
    void labelsOfSelectorsAreOnThePods() {
        Rendered chart = helm.render("nameOverride=batch", "operator.podLabels.team=batch");
        Deployment operator = chart.the(Deployment.class, "quiver-batch-operator");
        assertThat(operator.getSpec().getTemplate().getMetadata().getLabels())
                .containsAllEntriesOf(operator.getSpec().getSelector().getMatchLabels())
                .containsEntry("team", "batch");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    operator.replica=2                        | /operator
                    operator.replicas=3                       | /operator/replicas
                    operator.logFormat=xml                    | /operator/logFormat
                    operator.statusWritesPerSecond=0          | /operator/statusWritesPerSecond
                    operator.watchNamespaces[0]=Team_A        | /operator/watchNamespaces/0
                    operator.grantedPrefixes.Team_A=i:        | /operator/grantedPrefixes
                    operator.grantedPrefixes.a=i*             | /operator/grantedPrefixes/a
                    operator.grantedPrefixes.a=quiver:jobs:   | operator.grantedPrefixes.a: quiver:jobs: overlaps
                    operator.grantedPrefixes.a=q              | operator.grantedPrefixes.a: q overlaps
                    operator.grantedPrefixes={i:}             | /operator/grantedPrefixes
                    operator.image.pullPolicy=Sometimes       | /operator/image/pullPolicy
                    operator.image.digest=latest              | /operator/image/digest
                    worker.image.digest=sha256:0123           | /worker/image/digest
                    redis.image.digest=sha512:0123            | /redis/image/digest
                    worker.supervisorResources.limits.memory=big | /worker/supervisorResources/limits/memory
                    redis.maxmemory=1Gi                       | /redis/maxmemory
                    redis.runAsUser=0                         | /redis/runAsUser
                    redis.extraConfig=maxmemory-policy allkeys-lru | /redis/extraConfig
                    redis.persistence.size=large              | /redis/persistence/size
                    redis.bundled=false                       | redis.external.secretName
                    redis.external.secretName=mine            | redis.external.secretName
                    tenancy.mode=everyone                     | /tenancy/mode
                    tenancy.mode=secrets                      | tenancy.secrets
                    tenancy.secrets.team-a=redis-a            | tenancy.secrets
                    operator.serviceAccount.create=false      | operator.serviceAccount.name
                    history.replicas=2                        | history.replicas
                    history.enable=true                       | /history
                    history.retention.days=0                  | /history/retention/days
                    history.retention.maxBytes=0              | history.retention.maxBytes
                    history.emptyDir.sizeLimit=large          | /history/emptyDir/sizeLimit
                    history.database.url=postgres://db/quiver | /history/database/url
                    history.database.existingSecret=mine      | history.database.existingSecret
                    history.persistence.existingClaim=mine    | history.persistence.existingClaim
                    history.serviceAccount.create=false       | history.serviceAccount.name
                    image.registry=my registry                | /image/registry
                    commonLabels.team[0]=a                    | /commonLabels/team
                    operator.extraVolumes[0].emptyDir.medium=Memory | /operator/extraVolumes/0
                    history.extraVolumeMounts[0].name=ca      | /history/extraVolumeMounts/0
                    """)
    void badValueIsRefusedByTheNameOfItsField(String value, String words) {
        assertThat(helm.refusal(value)).contains(words);
    }

    @Test
    void monitorsWithoutTheServiceOfTheOperatorAreRefused() {
        assertThat(helm.refusal("monitoring.enabled=true", "operator.metrics.enabled=false"))
                .contains("monitoring.enabled", "operator.metrics.enabled");
    }

    @Test
    void grantedPrefixesReachTheOperatorAndMayNotOverlap() {
        assertThat(environment(helm.render(), "operator")).containsEntry("QUIVER_GRANTED_PREFIXES", "{}");
        assertThat(environment(
                        helm.render("operator.grantedPrefixes.team-a=idoit:", "operator.grantedPrefixes.b=$(A)/"),
                        "operator"))
                .containsEntry("QUIVER_GRANTED_PREFIXES", "{\"b\":\"$$(A)/\",\"team-a\":\"idoit:\"}");
        assertThat(helm.refusal("operator.grantedPrefixes.a=idoit:", "operator.grantedPrefixes.b=idoit:jobs:"))
                .contains("operator.grantedPrefixes.a: idoit: overlaps idoit:jobs: of b");
    }

    @Test
    void hostsOfProbesReachTheOperator() {
        assertThat(environment(helm.render(), "operator")).containsEntry("QUIVER_PROBE_HOSTS", "services");
        assertThat(environment(helm.render("operator.probeHosts={services,*.example.org}"), "operator"))
                .containsEntry("QUIVER_PROBE_HOSTS", "services,*.example.org");
        assertThat(helm.refusal("operator.probeHosts={http://example.org}")).contains("probeHosts");
        assertThat(helm.refusal("operator.probeHosts={redis}")).contains("probeHosts");
    }

    private static Map<String, String> environment(Rendered chart, String container) {
        return chart.containers()
                .filter(each -> each.getName().equals(container))
                .flatMap(each -> each.getEnv().stream())
                .flatMap(ChartIT::plain)
                .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
    }

    private static Stream<EnvVar> plain(EnvVar variable) {
        return variable.getValueFrom() == null && variable.getValue() != null ? Stream.of(variable) : Stream.empty();
    }
}
