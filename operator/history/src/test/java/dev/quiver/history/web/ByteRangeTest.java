package dev.quiver.history.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ByteRangeTest {

    private static final byte[] BODY = "0123456789".getBytes(StandardCharsets.US_ASCII);

    @ParameterizedTest
    @CsvSource({
        "bytes=0-0, 0, bytes 0-0/10",
        "bytes=3-5, 345, bytes 3-5/10",
        "bytes=8-, 89, bytes 8-9/10",
        "bytes=8-999999999999999999, 89, bytes 8-9/10",
        "bytes=-3, 789, bytes 7-9/10",
        "bytes=-99, 0123456789, bytes 0-9/10"
    })
    void aRangeIsAPartOfTheBody(String header, String part, String told) {
        ByteRange range = ByteRange.of(header, BODY.length).orElseThrow();
        assertThat(new String(BODY, (int) range.first(), (int) range.length(), StandardCharsets.US_ASCII))
                .isEqualTo(part);
        assertThat(range.header(BODY.length)).isEqualTo(told);
    }

    @Test
    void aRangeBehindTheEndHasNoByte() {
        assertThat(ByteRange.of("bytes=10-", BODY.length))
                .hasValueSatisfying(range -> assertThat(range.isEmpty()).isTrue());
        assertThat(ByteRange.of("bytes=-0", BODY.length))
                .hasValueSatisfying(range -> assertThat(range.isEmpty()).isTrue());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "bytes", "bytes=", "bytes=-", "bytes=5-3", "bytes=0-1,3-4", "lines=0-1", "bytes=a-b"})
    void anythingElseIsNone(String header) {
        assertThat(ByteRange.of(header, BODY.length)).isEmpty();
    }
}
