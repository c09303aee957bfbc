package dev.quiver.lifecycle.ordinals;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CombineTreeTest {

    @ParameterizedTest
    @CsvSource({
        "0, 2, 0, 0, 0",
        "1, 2, 0, 0, 1",
        "2, 2, 1, 2, 1",
        "3, 2, 3, 5, 1",
        "16, 16, 1, 16, 1",
        "17, 16, 3, 19, 1",
        "10000, 16, 669, 10668, 1",
        "100000, 2, 100006, 200005, 1",
        "5, 0, 0, 0, 5"
    })
    void hasOneNumberAtTheEnd(long count, int fanIn, long combines, long first, long size) {
        CombineTree tree = new CombineTree(count, fanIn);
        assertThat(tree.combines()).isEqualTo(combines);
        assertThat(tree.last()).isEqualTo(new CombineTree.Range(first, size));
    }

    @Test
    void takesNeighboursInOrder() {
        CombineTree tree = new CombineTree(5, 2); // 0-4, 5-7, 8-9, 10
        assertThat(tree.children(5)).isEqualTo(new CombineTree.Range(0, 2));
        assertThat(tree.children(7)).isEqualTo(new CombineTree.Range(4, 1));
        assertThat(tree.children(9)).isEqualTo(new CombineTree.Range(7, 1));
        assertThat(tree.children(10)).isEqualTo(new CombineTree.Range(8, 2));
        assertThatThrownBy(() -> tree.children(4)).hasMessageContaining("4 is no combine");
        assertThatThrownBy(() -> tree.children(11)).hasMessageContaining("11 is no combine");
    }

    @Test
    void takesEachNumberButTheLastOnce() {
        CombineTree tree = new CombineTree(1000, 7);
        long[] taken = LongStream.range(1000, 1000 + tree.combines())
                .mapToObj(tree::children)
                .flatMapToLong(range -> LongStream.range(range.first(), range.first() + range.size()))
                .toArray();
        assertThat(taken)
                .containsExactly(LongStream.range(0, tree.last().first()).toArray());
    }

    @Test
    void refusesACombineOfOne() {
        assertThatThrownBy(() -> new CombineTree(5, 1)).hasMessage("no combines of 1 of 5");
    }
}
