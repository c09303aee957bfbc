package dev.quiver.lifecycle.task.tree;

import java.util.List;

import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.World;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkerSession;

/** The own dialect. */
class TaskContractIT extends TaskContract {
    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Override
    protected Rig rig() {
        World world = new World(REDIS);
        return new Rig() {
            @Override
            public Trees trees() {
                return world.trees;
            }

            @Override
            public Hand hand() {
                return new OwnHand(world.worker("p", "h", "walk"));
            }

            @Override
            public void pass() {
                String commands = world.keys.commands();
                world.store
                        .ask(redis -> redis.zrange(commands, 0, -1))
                        .forEach(command -> world.store.ask(redis -> redis.zadd(commands, 1, command)));
                world.tick();
            }

            @Override
            public String arguments(Claim claim) {
                return world.arguments(claim);
            }

            @Override
            public long entries() {
                return world.nodes();
            }

            @Override
            public void close() {
                world.close();
            }
        };
    }

    private record OwnHand(World.Worker worker) implements Hand {
        @Override
        public List<Claim> claim() {
            return worker.claim();
        }

        @Override
        public List<StepCall.Verdict> settle(List<Settlement> settlements) {
            return worker.step(settlements, 0).verdicts();
        }

        @Override
        public void die() {
            worker.die();
        }

        @Override
        public WorkerSession session() {
            return worker.session;
        }

        @Override
        public Hand successor() {
            return new OwnHand(worker.successor());
        }
    }
}
