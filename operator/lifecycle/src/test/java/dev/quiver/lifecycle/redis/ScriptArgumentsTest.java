package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The library's own encoding is the measure. */
class ScriptArgumentsTest {

    private static final String DIGEST = "da39a3ee5e6b4b0d3255bfef95601890afd80709";

    private static String wire(CommandArgs<String, String> arguments) {
        ByteBuf to = Unpooled.buffer();
        new Command<>(CommandType.EVALSHA, new NestedMultiOutput<>(StringCodec.UTF8), arguments).encode(to);
        return to.toString(StandardCharsets.UTF_8);
    }

    private static String librarys(String[] keys, String... arguments) {
        return wire(new CommandArgs<>(StringCodec.UTF8)
                .add(DIGEST)
                .add(keys.length)
                .addKeys(keys)
                .addValues(arguments));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 9, 10, 99, 100, 999, 1_000, 9_999, 10_000, 65_536, 1_234_567})
    void writesTheLibrarysBytesWhateverTheLength(int length) {
        String[] keys = {"quiver:{ns}:sets", "k"};
        String value = "x".repeat(length);
        assertThat(wire(new ScriptArguments(DIGEST, keys, new String[] {value, "", "7"})))
                .isEqualTo(librarys(keys, value, "", "7"));
    }

    @Test
    void writesTheLibrarysBytesOfTextBeyondAscii() {
        String[] keys = {"schlüssel"};
        String value = "naïve \uD83D\uDE00 \uD800 \r\n";
        assertThat(wire(new ScriptArguments(DIGEST, keys, new String[] {value})))
                .isEqualTo(librarys(keys, value));
    }

    @Test
    void aClusterFindsTheNodeByTheFirstKey() {
        ByteBuffer key = new ScriptArguments(DIGEST, new String[] {"a", "b"}, new String[0]).getFirstEncodedKey();
        assertThat(StandardCharsets.UTF_8.decode(key).toString()).isEqualTo("a");
    }

    @Test
    void aScriptMayHaveNoKeys() {
        assertThat(wire(new ScriptArguments(DIGEST, new String[0], new String[] {"1"})))
                .isEqualTo(librarys(new String[0], "1"));
    }
}
