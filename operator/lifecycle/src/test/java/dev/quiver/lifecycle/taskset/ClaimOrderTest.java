package dev.quiver.lifecycle.taskset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.OptionalInt;

import org.junit.jupiter.api.Test;

class ClaimOrderTest {

    @Test
    void hasPlacesAndThenTimesByNumber() {
        ClaimOrder order = new ClaimOrder(new int[] {2, 0, 1}, new int[] {10, 4, 0x01020305}, OptionalInt.empty());
        assertThat(order.tasks()).isEqualTo(3);
        assertThat(order.millis()).isEqualTo(14L + 0x01020305);
        assertThat(order.size()).isEqualTo(36);
        assertThat(order.part(0, 8)).containsExactly(2, 0, 0, 0, 5, 3, 2, 1);
        assertThat(order.part(24, 100)).containsExactly(10, 0, 0, 0, 4, 0, 0, 0, 5, 3, 2, 1);
        assertThat(order.task(0)).isEqualTo(2);
        assertThat(order.millisOf(1)).isEqualTo(4);
    }

    @Test
    void refusesWhatIsNoOrder() {
        refuses(new int[] {}, new int[] {});
        refuses(new int[] {0, 0}, new int[] {2, 2});
        refuses(new int[] {0, 2}, new int[] {2, 2});
        refuses(new int[] {0, -1}, new int[] {2, 2});
        refuses(new int[] {0}, new int[] {2, 2});
        refuses(new int[] {0}, new int[] {1});
        refuses(new int[] {0}, new int[] {ClaimOrder.MOST_MILLIS + 2});
        refuses(new int[ClaimOrder.MOST + 1], new int[ClaimOrder.MOST + 1]);
    }

    private static void refuses(int[] sequence, int[] millis) {
        assertThatThrownBy(() -> new ClaimOrder(sequence, millis, OptionalInt.empty()))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
