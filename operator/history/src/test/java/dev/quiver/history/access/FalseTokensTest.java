package dev.quiver.history.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;

/** The bound on reviews of false tokens. */
class FalseTokensTest {

    private final AtomicLong nanos = new AtomicLong();
    private final FalseTokens tokens = new FalseTokens(nanos::get);

    private static InetAddress address(int last) throws Exception {
        return InetAddress.getByAddress(new byte[] {10, 0, 0, (byte) last});
    }

    @Test
    void anAddressThatFloodsHasOneReviewInASecondAndOthersTheirOwn() throws Exception {
        for (int i = 0; i < FalseTokens.OF_ADDRESS; i++) {
            assertThat(tokens.take(address(1))).isTrue();
        }
        assertThat(tokens.take(address(1))).isFalse();
        assertThat(tokens.take(address(2))).isTrue();
        nanos.addAndGet(1_000_000_000);
        assertThat(tokens.take(address(1))).isTrue();
        assertThat(tokens.take(address(1))).isFalse();
    }

    @Test
    void allAddressesTogetherAreBoundedToo() throws Exception {
        int taken = 0;
        for (int address = 0; address < 100; address++) {
            for (int i = 0; i < FalseTokens.OF_ADDRESS; i++) {
                taken += tokens.take(address(address)) ? 1 : 0;
            }
        }
        assertThat(taken).isEqualTo(200);
    }

    @Test
    void aGoodTokenCostsNothing() throws Exception {
        for (int i = 0; i < 1000; i++) {
            assertThat(tokens.take(address(1))).isTrue();
            tokens.giveBack(address(1));
        }
    }
}
