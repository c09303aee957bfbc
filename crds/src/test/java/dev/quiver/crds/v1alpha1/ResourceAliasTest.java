package dev.quiver.crds.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

/** An alias stands for others by the rule of the scripts: a pattern ends behind a mark of a name. */
class ResourceAliasTest {

    private static List<String> standFor(String alias, String resource) {
        return new ResourceAlias(alias, List.of("online", "credentials!*")).standFor(resource);
    }

    @Test
    void standsForItsNameAndThoseOfItsPattern() {
        assertThat(standFor("net", "net")).containsExactly("online", "credentials!*");
        assertThat(standFor("account!*", "account!7")).containsExactly("online", "credentials!7");
        assertThat(standFor("account!*", "account!7!b")).containsExactly("online", "credentials!7!b");
        assertThat(standFor("online!account!*", "online!account!0")).containsExactly("online", "credentials!0");
    }

    @Test
    void standsForNoOthers() {
        assertThat(standFor("net", "network")).isEmpty();
        assertThat(standFor("net*", "network")).isEmpty();
        assertThat(standFor("account!a!*", "account!b!7")).isEmpty();
    }
}
