package dev.quiver.controller.tenancy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.FunctionRights;
import dev.quiver.lifecycle.redis.RedisEndpoint;
import dev.quiver.lifecycle.redis.RedisMode;

class TenantEndpointTest {

    private static final CallRights CALLS = CallRights.of(FunctionRights.of(Lifecycle.LIBRARY));

    private static String library(String function) {
        return Lifecycle.LIBRARY.name() + "_" + function;
    }

    @ParameterizedTest
    @CsvSource({
        "redis://host:6379/0, redis://u:p@host:6379/0",
        "redis://default:secret@host:6379, redis://u:p@host:6379",
        "rediss://:secret@host:6379/2, rediss://u:p@host:6379/2",
        "redis-sentinel://x@a:26379?sentinelMasterId=m, redis-sentinel://u:p@a:26379?sentinelMasterId=m"
    })
    void aTenantGoesWhereTheOperatorGoesAsAnotherUser(String own, String expected) throws IOException {
        RedisEndpoint endpoint = new RedisEndpoint(own, RedisMode.STANDALONE, Optional.empty());
        assertThat(TenantEndpoint.as(endpoint, "u", "p")).containsEntry("uri", expected);
    }

    @Test
    void aPasswordIsReadBackAndABadOneIsNot() {
        String password = Passwords.fresh();
        assertThat(password).matches("[0-9a-f]{48}");
        assertThat(TenantEndpoint.password(Map.of("uri", "redis://quiver-a:" + password + "@h:1")))
                .contains(password);
        assertThat(TenantEndpoint.password(Map.of("uri", "redis://quiver-a:short@h:1")))
                .isEmpty();
        assertThat(TenantEndpoint.password(Map.of("uri", "redis://a:>x on +@all aaaaaaaaaaaa@h:1")))
                .isEmpty();
        assertThat(TenantEndpoint.password(Map.of())).isEmpty();
    }

    @Test
    void userOfProgramsIsThatOfNoNamespace() {
        assertThat(TenantEndpoint.client("a")).isEqualTo("quiver-a.client");
        assertThat(TenantEndpoint.password(Map.of("uri", "redis://quiver-a.client:" + "a".repeat(48) + "@h:1")))
                .isPresent();
    }

    @Test
    void userOfHistoryIsThatOfNoNamespaceAndRunsLuaOnlyWhereThereAreNoFunctions() {
        assertThat(TenantEndpoint.history()).isEqualTo("quiver.history").doesNotStartWith(TenantEndpoint.user(""));
        assertThat(TenantEndpoint.password(Map.of("uri", "rediss://quiver.history:" + "a".repeat(48) + "@h:1")))
                .isPresent();
        assertThat(TenantRules.ofHistory("secret", CALLS))
                .contains(">secret", "+fcall|" + library("history_read"), "~quiver:{*}:history", "+select|0")
                .noneMatch(rule -> rule.equals("+fcall") || rule.contains("_task_step"))
                .doesNotContain("+eval", "+evalsha");
        assertThat(TenantRules.ofHistory("secret", CallRights.withoutFunctions()))
                .contains("+eval", "+evalsha")
                .noneMatch(rule -> rule.startsWith("+fcall"));
    }

    @Test
    void rulesOfWorkersHaveTheGrantedPrefixAndThoseOfProgramsDoNot() {
        assertThat(TenantRules.of("a", "secret", CALLS, Optional.of("idoit:")))
                .contains(">secret", "~quiver:{a}:*", "~idoit:*", "+sadd", "+srandmember");
        assertThat(TenantRules.of("a", "secret", CALLS, Optional.empty()))
                .contains(">secret", "~quiver:{a}:*")
                .doesNotContain("+sadd", "+srandmember")
                .noneMatch(rule -> rule.startsWith("~") && !rule.startsWith("~quiver:{a"));
        assertThat(TenantRules.ofClient("a", "secret", CALLS)).doesNotContain("~idoit:*", "+sadd");
    }

    @Test
    void rulesOfProgramsHaveNoLuaAndTheirPassword() {
        assertThat(TenantRules.ofClient("a", "secret", CALLS))
                .contains(">secret", "+fcall|" + library("task_submit"), "~quiver:{a}:task:*", "+select|0")
                .noneMatch(rule -> rule.equals("+fcall") || rule.endsWith("task_step") || rule.endsWith("task_drop"))
                .doesNotContain("+eval", "+evalsha", "~quiver:{a}:*");
    }
}
