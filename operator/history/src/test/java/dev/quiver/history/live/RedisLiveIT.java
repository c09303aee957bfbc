package dev.quiver.history.live;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.ordinals.ExecutionSpec;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.taskset.TaskSetControl;
import dev.quiver.lifecycle.taskset.TaskSetLimits;
import dev.quiver.lifecycle.taskset.TaskSetOpening;

/** Figures of a real Redis. */
class RedisLiveIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    @Test
    void aSetThatIsOpenHasItsCountersAndAnotherHasNone() {
        Keyspace team = Keyspace.ofNamespace("team-a");
        TaskSetControl control = new Lifecycle(REDIS.store()).control(team, 1);
        ExecutionSpec spec = new ExecutionSpec(
                "nightly",
                List.of("true"),
                List.of(),
                List.of(),
                Optional.empty(),
                new ExecutionSpec.TaskSource.Count(7));
        control.open(TaskSetOpening.of("u1", "pool", spec, TaskSetLimits.DEFAULT));
        Live live = new RedisLive(REDIS.store());
        assertThat(live.of(team.prefix(), "u1")).hasValueSatisfying(figures -> {
            assertThat(figures.status()).isEqualTo("running");
            assertThat(figures.total()).isEqualTo(7);
            assertThat(figures.queued()).isEqualTo(7);
            assertThat(figures.workers()).isZero();
        });
        assertThat(live.of(team.prefix(), "u2")).isEmpty();
        assertThat(live.of(team.prefix(), "a uid that a tenant forged:}{")).isEmpty();
    }
}
