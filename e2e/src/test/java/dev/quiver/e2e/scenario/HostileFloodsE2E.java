package dev.quiver.e2e.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import dev.quiver.crds.v1alpha1.TaskSetStatus;
import dev.quiver.e2e.quiver.Burden;
import dev.quiver.e2e.quiver.Pool;
import dev.quiver.e2e.quiver.Run;
import dev.quiver.e2e.quiver.Space;
import dev.quiver.e2e.quiver.Tasks;

/** A worker container that makes as much noise as it can: its neighbours in the pod are served all the same. */
@Burden
class HostileFloodsE2E {

    @Test
    void floodsOfTheBellAndTheSocketAndAFalseAgentDoNotStopTheOthers(Space space) {
        Pool pool = space.readyPool("shared", 1, 4);
        Run bell = space.run(Attack.python("bell", Attack.EXEC + """
                memory, _ = exec_record()
                word = ctypes.c_uint32.from_buffer(memory, 128)
                libc = ctypes.CDLL(None)
                until = time.time() + 8
                while time.time() < until:
                    word.value += 1
                    libc.syscall(202, ctypes.byref(word), 1, 2147483647, None, None, 0)
                """).on(pool, 1));
        Run impostor = space.run(Attack.python("impostor", Attack.EXEC + """
                until = time.time() + 8
                while time.time() < until:
                    s = socket.socket(socket.AF_UNIX)
                    try:
                        s.connect(os.path.join(os.environ['QUIVER_IN'], 'socket'))
                        for _ in range(100): s.send(os.urandom(64))
                    except OSError:
                        time.sleep(0.001)
                    s.close()
                """).on(pool, 1));
        Run good = space.run(Tasks.shell("good", "sleep 0.1").count(100).on(pool, 1));
        assertThat(good.awaitFinished()).returns(100L, TaskSetStatus::succeeded).returns(100L, TaskSetStatus::trials);
        assertThat(bell.awaitFinished()).returns(1L, TaskSetStatus::succeeded);
        assertThat(impostor.awaitFinished()).returns(1L, TaskSetStatus::succeeded);
        Attack.assertUnharmed(pool);
    }
}
