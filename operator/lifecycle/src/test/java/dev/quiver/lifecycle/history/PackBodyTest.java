package dev.quiver.lifecycle.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

class PackBodyTest {

    private static byte[] noise(int length) {
        byte[] bytes = new byte[length];
        new Random(14).nextBytes(bytes);
        return bytes;
    }

    @Test
    void membersComeBackAsTheyWere() throws Exception {
        byte[] zeros = new byte[PackBody.MEMBER_BYTES];
        byte[] noise = noise(PackBody.MEMBER_BYTES);
        byte[] body = new PackBody()
                .add(ResultFormat.JSON, zeros)
                .add(ResultFormat.ARROW, noise)
                .encode();
        List<PackBody.Member> members = PackBody.read(body);
        assertThat(members).extracting(PackBody.Member::format).containsExactly(ResultFormat.JSON, ResultFormat.ARROW);
        assertThat(members.get(0).bytes()).isEqualTo(zeros);
        assertThat(members.get(1).bytes()).isEqualTo(noise);
        assertThat(PackBody.read(new PackBody().encode())).isEmpty();
    }

    @Test
    void whatCannotBeDeflatedFitsTheBoundOfABody() throws Exception {
        byte[] noise = noise(PackBody.MEMBER_BYTES);
        PackBody full = new PackBody();
        for (int i = 0; i < PackBody.UNPACKED_BYTES / noise.length; i++) {
            full.add(ResultFormat.BYTES, noise);
        }
        assertThat(PackBody.read(full.encode())).hasSize(16);
        assertThatThrownBy(() ->
                        PackBody.read(full.add(ResultFormat.BYTES, new byte[1]).encode()))
                .isInstanceOf(MalformedEntryException.class)
                .hasMessageContaining("holds more than");
    }

    @Test
    void whatIsForgedIsRefusedAndAllocatesNothing() throws Exception {
        byte[] body = new PackBody().add(ResultFormat.JSON, new byte[5000]).encode();
        for (int cut = 0; cut < body.length; cut++) {
            byte[] part = Arrays.copyOf(body, cut);
            if (cut != 1) { // a pack without a member
                assertThatThrownBy(() -> PackBody.read(part)).isInstanceOf(MalformedEntryException.class);
            }
        }
        assertThatThrownBy(() -> PackBody.read(new byte[PackBody.BODY_BYTES + 1]))
                .isInstanceOf(MalformedEntryException.class);
        byte[] newer = body.clone();
        newer[0] = 2;
        assertThatThrownBy(() -> PackBody.read(newer)).hasMessageContaining("version 2");
        byte[] many = new byte[1 + 4 * (PackBody.MEMBERS + 1)];
        many[0] = 1;
        for (int at = 1; at < many.length; at += 4) {
            many[at + 1] = 1;
            many[at + 2] = 1;
        }
        assertThatThrownBy(() -> PackBody.read(many)).hasMessageContaining("more than " + PackBody.MEMBERS);
    }

    @Test
    void aMemberThatInflatesToAnotherLengthIsRefused() {
        byte[] packed = Tails.pack(new byte[100_000]);
        for (int length : new int[] {99_999, 100_001}) {
            assertThatThrownBy(() -> new PackBody.Member(ResultFormat.BYTES, length, packed).bytes())
                    .isInstanceOf(MalformedEntryException.class);
        }
    }
}
