package dev.quiver.controller.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.RedisServer;
import dev.quiver.lifecycle.redis.RedisStore;
import dev.quiver.lifecycle.redis.ScriptRole;

/** Libraries of other versions go when nobody calls them, and never again when somebody brought them back. */
class OldFunctionsIT {

    private static final String OTHER = "quiver_0123456789abcdef";

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    private final AtomicLong nanos = new AtomicLong();
    private final Functions functions = new Functions(Lifecycle.LIBRARY, nanos::get);
    private RedisStore store;
    private Functions.Masters masters;

    @BeforeEach
    void load() {
        store = REDIS.open();
        masters = question -> {
            store.ask(redis -> question.apply(redis).thenApply(done -> true));
            return Map.of();
        };
        assertThat(functions.ensureLoaded(masters)).isTrue();
        loadOther();
    }

    @AfterEach
    void close() {
        store.close();
    }

    @Test
    void aLibraryThatAnotherOperatorBringsBackStays() {
        functions.dropOld(Set.of(), masters);
        nanos.addAndGet(Duration.ofHours(25).toNanos());
        functions.dropOld(Set.of(OTHER), masters);
        assertThat(libraries()).as("a worker calls it").contains(OTHER);
        functions.dropOld(Set.of(), masters);
        nanos.addAndGet(Duration.ofHours(25).toNanos());
        functions.dropOld(Set.of(), masters);
        assertThat(libraries()).containsExactly(Lifecycle.LIBRARY.name());
        loadOther();
        for (int i = 0; i < 3; i++) {
            nanos.addAndGet(Duration.ofHours(25).toNanos());
            functions.dropOld(Set.of(), masters);
        }
        assertThat(libraries()).contains(OTHER);
    }

    @Test
    void usersMayCallTheFunctionsOfTheirRoleInEachLibraryThatIsThere() {
        functions.list(masters);
        assertThat(functions.rights().rules(ScriptRole.WORKER))
                .contains("+fcall|" + Lifecycle.LIBRARY.name() + "_task_step", "+fcall|" + OTHER + "_task_step")
                .doesNotContain("+fcall|" + OTHER + "_task_drop", "+fcall|" + OTHER + "_task_submit");
        functions.dropOld(Set.of(), masters);
        nanos.addAndGet(Duration.ofHours(25).toNanos());
        functions.dropOld(Set.of(), masters);
        functions.list(masters);
        assertThat(functions.rights()).isEqualTo(FunctionRights.of(Lifecycle.LIBRARY));
        assertThat(functions.rights().rules(ScriptRole.WORKER)).noneMatch(rule -> rule.contains(OTHER));
    }

    private void loadOther() {
        String source = Lifecycle.LIBRARY.source().replace(Lifecycle.LIBRARY.name(), OTHER);
        store.ask(redis -> redis.functionLoad(source));
    }

    private Set<String> libraries() {
        List<Map<String, Object>> all = store.ask(redis -> redis.functionList());
        return all.stream().map(one -> one.get("library_name").toString()).collect(Collectors.toSet());
    }
}
