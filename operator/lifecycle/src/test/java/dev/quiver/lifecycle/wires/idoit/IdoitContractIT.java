package dev.quiver.lifecycle.wires.idoit;

import java.util.List;

import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.task.model.Trees;
import dev.quiver.lifecycle.task.tree.TaskContract;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.Settlement;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkerSession;

/** The dialect of idoit. */
class IdoitContractIT extends TaskContract {
    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Override
    protected Rig rig() {
        IdoitWorld world = new IdoitWorld(REDIS);
        return new Rig() {
            @Override
            public Trees trees() {
                return world.trees;
            }

            @Override
            public Hand hand() {
                return new IdoitHand(world.worker("p", "h", "walk"));
            }

            @Override
            public void pass() {
                for (int i = 0; i < 3; i++) {
                    world.hurry("restart");
                    world.hurry("p:commands");
                    world.tick("p");
                }
            }

            @Override
            public String arguments(Claim claim) {
                return IdoitWorld.arguments(claim);
            }

            @Override
            public long entries() {
                return world.keys().size();
            }

            @Override
            public void close() {
                world.close();
            }
        };
    }

    private record IdoitHand(IdoitWorld.Worker worker) implements Hand {
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
            return new IdoitHand(worker.successor());
        }
    }
}
