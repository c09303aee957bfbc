package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.PrintWriter;
import java.io.StringWriter;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedisEndpointTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "redis://:sec#ret@host:6379/0",
                "redis://:sec/ret@host:6379/0",
                "redis://:sec?ret@host:6379/0",
                "redis://:sec@ret@host:6379/0",
                "redis://user:sec%ret@host:6379/0",
                "redis://user:sec%zzret@host:6379/0",
                "redis://user:sec[ret@host:6379/0",
                "redis://user:sec ret@host:6379/0",
                "redis://user:sec\\ret@host:6379/0",
                "rediss://user:sec^ret`{|}@host:6379/0",
                "redis-sentinel://:sec#ret@a:1,b:2#master",
                "redis://user:secret@host:port/0",
                "redis://user:secret@:6379/0",
                "http://user:secret@host:6379/0",
                "user:secret@host"
            })
    void nothingThatIsSaidOfAUriHasItsPassword(String uri) {
        assertThatThrownBy(() -> RedisEndpoint.standalone(uri))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("uri")
                .satisfies(refused -> {
                    StringWriter all = new StringWriter();
                    refused.printStackTrace(new PrintWriter(all));
                    assertThat(all.toString().lines().filter(line -> !line.contains("\tat ")))
                            .noneMatch(line -> line.contains("sec") || line.contains("ret@"));
                });
    }

    @ParameterizedTest
    @CsvSource({
        "redis://user:sec%23r%2Fet%25@host:6379/3, redis://host:6379/3, sec#r/et%, 3",
        "rediss://:secret@host:6379, rediss://host:6379, secret, 0",
        "redis://secret@host:6379?timeout=9s, redis://host:6379, secret, 0",
        "redis-sentinel://:sec%40ret@a:1#master, redis-sentinel://a:1#master, sec@ret, 0"
    })
    void encodedCharactersAreThePasswordsAndTheTextOmitsIt(String uri, String shown, String password, int database) {
        RedisEndpoint endpoint = RedisEndpoint.standalone(uri);
        assertThat(endpoint).hasToString("standalone " + shown);
        assertThat(endpoint.database()).isEqualTo(database);
        var credentials = endpoint.address().getSentinels().isEmpty()
                ? endpoint.address().getCredentialsProvider()
                : endpoint.address().getCredentialsProvider();
        assertThat(new String(credentials.resolveCredentials().block().getPassword()))
                .isEqualTo(password);
    }
}
