package dev.quiver.lifecycle.redis;

import java.nio.ByteBuffer;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.codec.StringCodec;

/** Values of scripts' replies: UTF-8, or {@linkplain BinaryText bytes}. */
final class ReplyCodec implements RedisCodec<String, String> {

    static final ReplyCodec INSTANCE = new ReplyCodec();

    private ReplyCodec() {}

    @Override
    public String decodeKey(ByteBuffer bytes) {
        return StringCodec.UTF8.decodeKey(bytes);
    }

    @Override
    public String decodeValue(ByteBuffer bytes) {
        if (!bytes.hasRemaining() || bytes.get(bytes.position()) != (byte) 0xFF) {
            return StringCodec.UTF8.decodeValue(bytes);
        }
        byte[] all = new byte[bytes.remaining()];
        bytes.get(all);
        return BinaryText.of(all);
    }

    @Override
    public ByteBuffer encodeKey(String key) {
        return StringCodec.UTF8.encodeKey(key);
    }

    @Override
    public ByteBuffer encodeValue(String value) {
        return BinaryText.is(value) ? ByteBuffer.wrap(BinaryText.bytes(value)) : StringCodec.UTF8.encodeValue(value);
    }
}
