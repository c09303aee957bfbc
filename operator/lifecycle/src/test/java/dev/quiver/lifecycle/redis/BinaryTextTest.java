package dev.quiver.lifecycle.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class BinaryTextTest {

    private static byte[] allBytes() {
        byte[] bytes = new byte[257];
        for (int i = 0; i < bytes.length; i++) {
            bytes[i] = (byte) (255 - i);
        }
        return bytes;
    }

    @Test
    void standsForEachByte() {
        String text = BinaryText.of(allBytes());
        assertThat(BinaryText.is(text)).isTrue();
        assertThat(text).hasSize(257);
        assertThat(BinaryText.bytes(text)).isEqualTo(allBytes());
    }

    @Test
    void goesOverTheWireAsItIs() {
        String text = BinaryText.of(allBytes());
        assertThat(ReplyCodec.INSTANCE.decodeValue(ByteBuffer.wrap(allBytes()))).isEqualTo(text);
        assertThat(ReplyCodec.INSTANCE.encodeValue(text)).isEqualTo(ByteBuffer.wrap(allBytes()));
        ByteBuf wire = Unpooled.buffer();
        new ScriptArguments("s", new String[0], new String[] {text, "ÿ"}).encode(wire);
        byte[] sent = new byte[wire.readableBytes()];
        wire.readBytes(sent);
        byte[] head = "$1\r\ns\r\n$1\r\n0\r\n$257\r\n".getBytes(StandardCharsets.US_ASCII);
        assertThat(Arrays.copyOf(sent, head.length)).isEqualTo(head);
        assertThat(Arrays.copyOfRange(sent, head.length, head.length + 257)).isEqualTo(allBytes());
        assertThat(Arrays.copyOfRange(sent, head.length + 257, sent.length))
                .isEqualTo("\r\n$2\r\nÿ\r\n".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void textThatBeginsAlikeIsText() {
        assertThat(BinaryText.is("ÿÿ")).isFalse();
        assertThat(BinaryText.is("")).isFalse();
        assertThat(ReplyCodec.INSTANCE.decodeValue(ByteBuffer.wrap("ÿ".getBytes(StandardCharsets.UTF_8))))
                .isEqualTo("ÿ");
        assertThatThrownBy(() -> BinaryText.of("ÿ".getBytes(StandardCharsets.UTF_8)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
