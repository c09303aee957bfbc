package dev.quiver.lifecycle.redis;

import static dev.quiver.lifecycle.taskset.World.allPassed;
import static dev.quiver.lifecycle.taskset.World.claim;
import static dev.quiver.lifecycle.taskset.World.step;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.lettuce.core.FlushMode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.keyspace.Keyspace;
import dev.quiver.lifecycle.taskset.World;
import dev.quiver.lifecycle.worker.Claim;
import dev.quiver.lifecycle.worker.StepCall;
import dev.quiver.lifecycle.worker.WorkerSession;

/** Scripts as functions, and what happens where they are missing or not allowed. */
class FunctionsIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private RedisStore admin;

    @BeforeEach
    void open() {
        admin = PatientStore.open(REDIS.endpoint(), "test", Lifecycle.LIBRARY);
        admin.ask(redis -> redis.functionFlush(FlushMode.SYNC));
    }

    @AfterEach
    void close() {
        admin.close();
    }

    private void load(String source) {
        admin.ask(redis -> redis.functionLoad(source));
    }

    private void rights(boolean functions) {
        CommandArgs<String, String> rules =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add("team");
        RedisRights.rules(
                        "team",
                        functions ? CallRights.of(FunctionRights.of(Lifecycle.LIBRARY)) : CallRights.withoutFunctions())
                .forEach(rules::add);
        rules.add(">secret");
        admin.ask(redis -> redis.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), rules));
    }

    private static RedisStore tenant() {
        return PatientStore.open(
                RedisEndpoint.standalone(
                        "redis://team:secret@127.0.0.1:" + REDIS.process().port()),
                "team",
                Lifecycle.LIBRARY);
    }

    @Test
    void aTenantWaitsForItsFunctionsAndGoesOnWhenTheyAreThere() {
        rights(true);
        try (RedisStore store = tenant()) {
            World world = new World(new Lifecycle(admin), new Lifecycle(store), Keyspace.ofNamespace("team"));
            assertThatThrownBy(() -> world.session("a"))
                    .isInstanceOfSatisfying(
                            StoreRefusedException.class,
                            no -> assertThat(no.passing()).as(no.getMessage()).isTrue());
            load(Lifecycle.LIBRARY.source());
            world.open("u", 3);
            WorkerSession session = world.session("a");
            List<Claim> claims = claim(session, "u", 3);
            // Redis came back without its libraries: what is on its way waits.
            admin.ask(redis -> redis.functionFlush(FlushMode.SYNC));
            StepCall call = World.prepare(session, "u", allPassed(claims), List.of());
            assertThatThrownBy(call::run)
                    .isInstanceOfSatisfying(
                            StoreRefusedException.class,
                            no -> assertThat(no.passing()).isTrue());
            load(Lifecycle.LIBRARY.source());
            call.run();
            assertThat(world.look("u").succeeded()).isEqualTo(3);
            world.close();
            world.control.drop("u");
        }
    }

    @Test
    void whoMayRunLuaDoesSoUntilThatRightIsTaken() {
        rights(false);
        try (RedisStore store = tenant()) {
            World world = new World(new Lifecycle(admin), new Lifecycle(store), Keyspace.ofNamespace("team"));
            world.open("v", 9);
            WorkerSession session = world.session("a");
            List<Claim> claims = claim(session, "v", 1);
            load(Lifecycle.LIBRARY.source());
            rights(true);
            step(session, "v", allPassed(claims), 2);
            rights(false);
            assertThat(World.pick(world.session("b"))).isInstanceOf(WorkerSession.PickOutcome.Picked.class);
            world.close();
            world.control.drop("v");
        }
    }

    @Test
    void theOperatorWorksWithoutThemAndIsToldThatTheyAreMissing() {
        AtomicInteger missed = new AtomicInteger();
        admin.onFunctionMissing(missed::incrementAndGet);
        World world = new World(new Lifecycle(admin));
        world.open("u", 3);
        assertThat(missed).as("once: it does not ask in vain again").hasValue(1);
        load(Lifecycle.LIBRARY.source());
        admin.preferFunctions();
        world.open("v", 3);
        assertThat(missed).hasValue(1);
        assertThat(world.control.present()).containsExactlyInAnyOrder("u", "v");
    }

    @Test
    void aLibraryLiesBesideThatOfAnotherVersion() {
        load(Lifecycle.LIBRARY.source());
        load(Lifecycle.LIBRARY.source().replace(Lifecycle.LIBRARY.name(), "quiver_0123456789abcdef"));
        World world = new World(new Lifecycle(admin));
        world.open("u", 3);
        assertThat(world.control.present()).containsExactly("u");
    }
}
