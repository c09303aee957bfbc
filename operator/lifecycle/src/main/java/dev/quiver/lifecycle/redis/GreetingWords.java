package dev.quiver.lifecycle.redis;

import java.nio.charset.StandardCharsets;
import java.util.Optional;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * The words of a server that refused a new connection. A server may refuse and hang up before the client library has
 * asked anything, and the library then knows only that the connection was closed. Thread-safe; those who dial at the
 * same time dial the same deployment with the same password.
 */
final class GreetingWords implements NettyCustomizer {

    /** Characters of a refusal that are kept. */
    private static final int MOST = 512;

    private volatile String refusal = "";

    /** Before a connection is dialled. */
    void forget() {
        refusal = "";
    }

    /** The failure of a dial, with the server's own words where it gave any and the library has lost them. */
    RedisException explained(RedisException failure) {
        return refusal()
                .filter(_ -> !saysWhy(failure))
                .map(words -> told(words, failure))
                .orElse(failure);
    }

    private static RedisException told(String words, RedisException failure) {
        RedisException told = new RedisCommandExecutionException(words);
        told.initCause(failure);
        return told;
    }

    private static boolean saysWhy(Throwable failure) {
        for (Throwable at = failure; at != null; at = at.getCause()) {
            if (at instanceof RedisCommandExecutionException) {
                return true;
            }
        }
        return false;
    }

    private Optional<String> refusal() {
        return Optional.of(refusal).filter(words -> !words.isEmpty());
    }

    /** Puts itself where replies come in as plain text: before all handlers of the library but that of TLS. */
    @Override
    public void afterChannelInitialized(Channel channel) {
        if (channel.pipeline().get(io.lettuce.core.protocol.RedisHandshakeHandler.class) != null) {
            channel.pipeline()
                    .addBefore(
                            channel.pipeline()
                                    .context(io.lettuce.core.protocol.RedisHandshakeHandler.class)
                                    .name(),
                            "greeting-words",
                            new FirstReplies());
        }
    }

    /** Reads along until the first reply that is no error. */
    private final class FirstReplies extends ChannelInboundHandlerAdapter {

        private final StringBuilder line = new StringBuilder();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            boolean over = message instanceof ByteBuf reply && !readAlong(reply);
            context.fireChannelRead(message);
            if (over && !context.isRemoved()) {
                context.pipeline().remove(this);
            }
        }

        /** Whether the greeting may go on. */
        private boolean readAlong(ByteBuf reply) {
            String text = reply.toString(
                    reply.readerIndex(), Math.min(reply.readableBytes(), MOST), StandardCharsets.ISO_8859_1);
            if (line.isEmpty() && !text.startsWith("-")) {
                refusal = "";
                return false;
            }
            line.append(text, 0, Math.min(text.length(), MOST - line.length()));
            int end = line.indexOf("\r");
            refusal = line.substring(1, end < 0 ? line.length() : end);
            if (end >= 0) {
                line.setLength(0);
            }
            return true;
        }
    }
}
