package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** An error of a script names the file and the line in it, as a function and by its text. */
class ScriptLinesIT {

    @RegisterExtension
    static final RedisServer REDIS = new RedisServer();

    /** Line 7 fails by itself, line 8 in a module, and line 9 in Redis. */
    private static final Script FAILING = Script.of("test/failing", List.of("""
            -- Fails. Guarantee: none.
            -- FOR worker
            -- KEYS source: any hash
            -- FIELDS source: status
            --   numbers: left
            -- ARGV how: which way
            if arg_how == 'itself' then return source.none.left end
            if arg_how == 'module' then return decimal.of({}) end
            if arg_how == 'redis' then return call('HGET', key_source) end
            return {OK}
            -- RETURNS {OK}
            -- USES common/decimal
            """.split("\n")));

    private static final ScriptLibrary LIBRARY = ScriptLibrary.of(List.of(Script.of("task/step"), FAILING));

    @BeforeAll
    static void load() {
        REDIS.store().ask(redis -> redis.functionLoad(LIBRARY.source()));
    }

    private static String words(Optional<ScriptLibrary> library, String how) {
        try (RedisStore store = library.map(its -> RedisStore.open(REDIS.endpoint(), "test", its))
                .orElseGet(() -> RedisStore.open(REDIS.endpoint(), "test"))) {
            return catchThrowableOfType(StoreRefusedException.class, () -> store.run(FAILING, new String[] {"k"}, how))
                    .getMessage();
        }
    }

    private static void check(Optional<ScriptLibrary> library) {
        assertThat(words(library, "itself")).startsWith("ERR test/failing.lua:7: attempt to index field 'none'");
        assertThat(words(library, "module")).startsWith("ERR include/common/decimal.lua:3: bad argument");
        assertThat(words(library, "redis")).contains("on test/failing.lua:9.").doesNotContain("user_");
    }

    @Test
    void aFunctionNamesTheFileAndItsLine() {
        check(Optional.of(LIBRARY));
    }

    @Test
    void aTextNamesTheFileAndItsLine() {
        check(Optional.empty());
    }

    @Test
    void aCallForWhichNoThreadWaitsNamesThemToo() {
        try (RedisStore store = RedisStore.open(REDIS.endpoint(), "test", LIBRARY)) {
            store.ping();
            CompletableFuture<String> words = new CompletableFuture<>();
            store.send(FAILING, new String[] {"k"}, "itself")
                    .orElseThrow()
                    .whenKnown((reply, problem) -> words.complete(problem.getMessage()));
            assertThat(words)
                    .succeedsWithin(java.time.Duration.ofSeconds(20))
                    .asString()
                    .startsWith("ERR test/failing.lua:7: ");
        }
    }

    /** A program calls functions whose text it does not have; the name of the script stays. */
    @Test
    void whoDoesNotHaveTheTextGetsTheWordsOfRedis() {
        assertThat(words(Optional.of(ScriptLibrary.loaded(LIBRARY.name())), "itself"))
                .contains("user_function:", LIBRARY.name() + "_test_failing");
    }
}
