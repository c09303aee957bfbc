package dev.quiver.history.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class TableRowTest {

    private static final Table TABLE = Table.overwriting("rows", 2, "run_id", "task", "reason:t", "over");

    @Test
    void valuesStandInTheOrderOfTheColumnsHoweverTheyAreGiven() {
        TableRow row = TableRow.of(TABLE)
                .set("over", 1)
                .set("run_id", 7L)
                .set("reason", "why")
                .set("task", 3);
        assertThat(row.values()).containsExactly(7L, 3, "why", 1);
        assertThat(row.key()).containsExactly(7L, 3);
        assertThat(row.get("reason")).isEqualTo("why");
        assertThat(row.number("over")).isOne();
    }

    @Test
    void whatIsNotGivenIsNull() {
        assertThat(TableRow.of(TABLE).set("task", 3).values()).containsExactly(null, 3, null, null);
    }

    @Test
    void aColumnThatIsNotThereIsNamed() {
        TableRow row = TableRow.of(TABLE);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> row.set("raeson", "why"))
                .withMessage("table rows has no column raeson");
    }

    @Test
    void anotherRowFillsTheGapsAlone() {
        TableRow earlier = TableRow.of(TABLE)
                .set("run_id", 7L)
                .set("task", 3)
                .set("reason", "first")
                .set("over", 0);
        TableRow later = TableRow.of(TABLE).set("run_id", 7L).set("task", 3).set("over", 1);
        assertThat(later.orElse(earlier).values()).containsExactly(7L, 3, "first", 1);
        assertThat(earlier.get("over")).isEqualTo(0);
    }
}
