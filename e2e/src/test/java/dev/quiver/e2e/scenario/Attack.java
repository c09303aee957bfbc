package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.quiver.crds.v1alpha1.ConditionType;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Tasks;

/** The harm that a task can do to the supervisor of its pod: whatever any process in the worker container can. */
final class Attack {

    /** {@code exec_record()} opens the executors' record, through the agent's own descriptor. */
    static final String EXEC = """
            import ctypes, errno, glob, mmap, os, random, socket, struct, sys, time
            def exec_record():
                for name in glob.glob('/proc/1/fd/*'):
                    if 'memfd:' in os.readlink(name):
                        fd = os.open(name, os.O_RDWR)
                        return mmap.mmap(fd, os.fstat(fd).st_size), fd
                sys.exit('no record found')
            """;

    private Attack() {}

    /** A task in Python, tried twice. */
    static Tasks python(String name, String program) {
        return Tasks.command(name, "python3", "-c", program).trials(2);
    }

    /** The pool has the one pod that it had, and nothing in it was started again. */
    static void assertUnharmed(Pool pool) {
        assertThat(pool.pods())
                .singleElement()
                .satisfies(pod -> assertThat(pod.getStatus().getContainerStatuses())
                        .allMatch(status -> status.getRestartCount() == 0));
        pool.awaitReason(ConditionType.Ready, "AllReplicasReady");
    }
}
