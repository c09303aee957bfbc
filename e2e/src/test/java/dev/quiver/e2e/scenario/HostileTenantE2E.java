package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.e2e.quiver.Installation;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Scenario;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** A tenant that turns against Redis with the Secret of its own namespace; another tenant's run does not notice. */
@Scenario
class HostileTenantE2E {

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
            print('endless script:', ask('EVAL', endless, '1', prefix + 'meta'))
            print('own function:', ask('FUNCTION', 'LOAD', '#!lua name=mine'))
            print('term:', ask('HSET', prefix + 'meta', 'term', '1073741824'))
            for i in range(48):
                answer = ask('HSET', prefix + 'pool:bait:workers', 's%d' % i, b'x' * (1 << 20))
            print('registry:', answer)
            print('attack over')
            """;

    @Test
    void anotherTenantsRunFinishesWhileOneAttacks(Space evil, Installation installation) {
        Pool bait = evil.readyPool("bait", 1, 1);
        int operators = installation.restarts("operator");
        int stores = installation.restarts("redis");
        try (Space good = evil.beside("good")) {
            Run run = good.run(
                    Tasks.shell("good", "sleep 0.2").count(200).workers(1, 2).drainSeconds(1));
            run.awaitSucceeded(1);
            evil.kubectl().apply(pod());
            Awaitility.await("the attack is over").until(() -> log(evil).contains("attack over"));
            assertThat(log(evil))
                    .containsPattern("endless script: .*NOPERM")
                    .containsPattern("own function: .*NOPERM")
                    .containsPattern("registry: .*:1");
            bait.awaitMessage(ConditionType.StoreReachable, "False", "pool:bait:workers");
            assertThat(run.awaitFinished().succeeded()).isEqualTo(200);
        }
        assertThat(installation.restarts("operator")).isEqualTo(operators);
        assertThat(installation.restarts("redis")).isEqualTo(stores);
    }

    private static String log(Space evil) {
        return evil.kubectl().run("logs", "attacker", "--ignore-errors");
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
