package dev.quiver.supervisor.execution;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Random;

import org.junit.jupiter.api.Test;

import dev.quiver.lifecycle.ordinals.OrdinalFeed;
import dev.quiver.lifecycle.worker.WorkSource;

class ListPagesTest {

    private static TrialOutput output(byte[] bytes) {
        return new TrialOutput(
                bytes.length,
                () -> {
                    throw new AssertionError("nobody reads the whole");
                },
                (from, length) -> Optional.of(Arrays.copyOfRange(bytes, (int) from, (int) from + length)));
    }

    private static List<String> pages(byte[] bytes) throws ListPages.LostException {
        ListPages pages = new ListPages(output(bytes));
        List<String> all = new ArrayList<>();
        for (Optional<String> page = pages.next(); page.isPresent(); page = pages.next()) {
            all.add(page.get());
        }
        return all;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Test
    void aShortListIsAPageAndAnEmptyOneIsNone() throws Exception {
        assertThat(pages(utf8("a\nb"))).containsExactly("a\nb");
        assertThat(pages(utf8("a\nb\n"))).containsExactly("a\nb\n");
        assertThat(pages(new byte[0])).isEmpty();
    }

    @Test
    void aLongListIsCutBehindLinesAndNothingIsLost() throws Exception {
        Random random = new Random(5);
        StringBuilder list = new StringBuilder();
        for (int i = 0; i < 40_000; i++) {
            list.append("tests/grün_")
                    .append(i)
                    .append("x".repeat(random.nextInt(60)))
                    .append('\n');
            if (i % 9000 == 17) {
                list.append("y".repeat(200_000)).append('\n');
            }
        }
        List<String> pages = pages(utf8(list.toString()));
        assertThat(String.join("", pages)).isEqualTo(list.toString());
        assertThat(pages).hasSizeGreaterThan(10).allSatisfy(page -> {
            assertThat(page).endsWith("\n");
            assertThat(utf8(page).length).isLessThanOrEqualTo(WorkSource.MOST_PAGE_BYTES);
        });
    }

    @Test
    void aLineIsAtMostAsLongAsATaskMayBe() throws Exception {
        String longest = "z".repeat(OrdinalFeed.MAX_PAYLOAD_BYTES);
        assertThat(String.join("", pages(utf8("a\n" + longest + "\nb")))).hasSize(longest.length() + 4);
        String tooLong = "a\nb\n" + "z".repeat(OrdinalFeed.MAX_PAYLOAD_BYTES + 200_000) + "\n";
        assertThatThrownBy(() -> pages(utf8(tooLong))).hasMessage("line 3 of the list has more than 262144 bytes");
    }

    @Test
    void bytesThatAreNoTextAreNamedByTheirLine() {
        byte[] list = utf8("x".repeat(70_000) + "\n" + "a\n".repeat(50_000) + "b?\nc\n");
        list[list.length - 4] = (byte) 0xC3;
        assertThatThrownBy(() -> pages(list)).hasMessage("line 50002 of the list: the bytes are no UTF-8");
    }

    @Test
    void aListOfMoreThanThirtyTwoMebibytesIsRefusedUnread() {
        TrialOutput large = new TrialOutput((32 << 20) + 1, Optional::empty, (from, length) -> {
            throw new AssertionError("read");
        });
        assertThatThrownBy(() -> new ListPages(large).next())
                .hasMessage("the list has 33554433 bytes, at most 33554432 are read");
    }

    @Test
    void aListThatLeftWithItsSlotIsLost() {
        TrialOutput gone = new TrialOutput(10, Optional::empty, (from, length) -> Optional.empty());
        assertThatThrownBy(() -> new ListPages(gone).next()).isInstanceOf(ListPages.LostException.class);
    }
}
