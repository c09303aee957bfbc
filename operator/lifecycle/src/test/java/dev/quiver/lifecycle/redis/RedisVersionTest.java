package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisVersionTest {

    @ParameterizedTest
    @CsvSource({
        "7.0.15,false",
        "7.2.0,true",
        "7.10.1,true",
        "8.0,true",
        "6.9.9,false",
        "'',false",
        "x.y,false",
        "7,false"
    })
    void waitaofCameWithSevenTwo(String text, boolean tells) {
        assertThat(new RedisVersion(text).tellsOfDisk()).isEqualTo(tells);
    }
}
