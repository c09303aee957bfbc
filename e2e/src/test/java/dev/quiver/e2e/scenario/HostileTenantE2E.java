package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;
import dev.quiver.e2e.quiver.Unrestricted;

/** A tenant that turns against Redis with the Secret of its own namespace; another tenant's run does not notice. */
@Scenario
class HostileTenantE2E {

    private static final Logger LOG = LoggerFactory.getLogger(HostileTenantE2E.class);
    private static final int SLOTS = 4;
    private static final int TASKS = 400;

    /** Speaks to Redis as the Secret says, and prints what each attack was answered. */
    private static final String ATTACK = """
            import re, socket
            user, password, host, port = re.match(r'redis://([^:]+):([^@]+)@([^:/]+):(\\d+)',
                                                  open('/secret/uri').read().strip()).groups()
            def ask(*words):
                redis = socket.create_connection((host, int(port)), 30)
                for line in (('AUTH', user, password), words):
                    redis.sendall(b'*%d\\r\\n' % len(line))
                    for word in line:
                        word = word if isinstance(word, bytes) else word.encode()
                        redis.sendall(b'$%d\\r\\n%s\\r\\n' % (len(word), word))
                    answer = redis.recv(4096).decode()
                redis.close()
                return answer.strip()
            prefix = 'quiver:{' + user.removeprefix('quiver-') + '}:'
            endless = "redis.call('HSET', KEYS[1], 'a', 1) while true do end"
            while True:
                print('endless script:', ask('EVAL', endless, '1', prefix + 'meta'))
                print('own function:', ask('FUNCTION', 'LOAD', '#!lua name=mine'))
                print('term:', ask('HSET', prefix + 'meta', 'term', '1073741824'))
                for i in range(48):
                    answer = ask('HSET', prefix + 'pool:bait:workers', 's%d' % i, b'x' * (1 << 20))
                print('registry:', answer)
                print('attack over', flush=True)
            """;

    @Test
    void anotherTenantsRunFinishesWhileOneAttacks(
            @Unrestricted("an attacker with all that a plain pod has") Space evil, Installation installation) {
        Pool bait = evil.readyPool("bait", 1, 1);
        int operators = installation.restarts("operator");
        int stores = installation.restarts("redis");
        try (Space good = evil.beside("good")) {
            Pool warm = good.readyPool("good", 1, SLOTS);
            double quiet = tasksPerSecond(good, warm, "quiet");
            evil.kubectl().apply(pod());
            Awaitility.await("the attack has gone through all its means")
                    .until(() -> log(evil).contains("attack over"));
            double beside = tasksPerSecond(good, warm, "beside");
            LOG.info("tasks a second: {} quiet, {} beside the attack", Math.round(quiet), Math.round(beside));
            assertThat(beside).as("tasks a second beside the attack").isGreaterThan(quiet / 4);
            assertThat(log(evil))
                    .containsPattern("endless script: .*NOPERM")
                    .containsPattern("own function: .*NOPERM")
                    .containsPattern("registry: :[01]");
            // While the attacker goes on, the operator reports whichever of its traces it met last.
            evil.kubectl().run("delete", "pod", "attacker", "--grace-period=0", "--force");
            bait.awaitMessage(ConditionType.StoreReachable, "False", "pool:bait:workers");
        }
        assertThat(installation.restarts("operator")).isEqualTo(operators);
        assertThat(installation.restarts("redis")).isEqualTo(stores);
    }

    /** The time of a run on warm workers, whose tasks wait more than they work. */
    private static double tasksPerSecond(Space good, Pool warm, String name) {
        TaskSetStatus end = good.run(Tasks.shell(name, "sleep 0.1").count(TASKS).on(warm, 1))
                .awaitFinished();
        assertThat(end.succeeded()).isEqualTo(TASKS);
        Duration took = Duration.between(Instant.parse(end.startTime()), Instant.parse(end.completionTime()));
        return TASKS / (took.toSeconds() + 1.0); // the times of a status are in seconds
    }

    private static String log(Space evil) {
        return evil.kubectl().run("logs", "attacker", "--ignore-errors", "--tail=200");
    }

    /** With the labels by which Redis lets workers in. */
    private static String pod() {
        return """
                apiVersion: v1
                kind: Pod
                metadata:
                  name: attacker
                  labels: {app.kubernetes.io/managed-by: quiver, app.kubernetes.io/component: worker}
                spec:
                  restartPolicy: Never
                  containers:
                    - name: attacker
                      image: quiver/demo:0.1.0
                      command: [python3, -c, %s]
                      volumeMounts: [{name: secret, mountPath: /secret}]
                  volumes: [{name: secret, secret: {secretName: quiver-redis}}]
                """.formatted(quoted(ATTACK));
    }

    private static String quoted(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + "\"";
    }
}
