package dev.quiver.controller.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConditionBuilder;
import org.junit.jupiter.api.Test;

import dev.quiver.controller.status.Conditions;
import dev.quiver.lifecycle.task.model.Blockage;
import dev.quiver.lifecycle.task.model.Permits;

class BlockedConditionTest {

    private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

    private static final Condition BEFORE = new ConditionBuilder()
            .withType("Blocked")
            .withStatus("True")
            .withReason("ResourceMissing")
            .withLastTransitionTime(NOW.toString())
            .build();

    private static List<Condition> set(Blockage blockage, Condition... before) {
        Conditions fresh = new Conditions(List.of(before), 1, NOW);
        BlockedCondition.set(blockage, "node", List.of(before), fresh);
        return fresh.list();
    }

    private static Blockage.Missing missing(String name, Optional<String> owner, boolean declared) {
        return new Blockage.Missing(name, Optional.of(NOW).filter(_ -> declared), Optional.of(NOW), owner, declared);
    }

    @Test
    void namesTheFirstSinceWhenAndByWhomThenTheOthers() {
        Blockage blockage = new Blockage(
                2,
                List.of(
                        missing("tenant!acme", Optional.of("billing"), true),
                        missing("happy!0", Optional.empty(), true),
                        missing("printer", Optional.empty(), false)));
        assertThat(set(blockage))
                .singleElement()
                .returns("True", Condition::getStatus)
                .returns("ResourceMissing", Condition::getReason)
                .returns(
                        "2 nodes wait for tenant!acme, missing since 2026-01-01T10:00:00Z, closed by billing; then happy!0,"
                                + " printer.",
                        Condition::getMessage);
    }

    @Test
    void saysThatThePoolDoesNotDeclareIt() {
        assertThat(BlockedCondition.words(
                        new Blockage(1, List.of(missing("printer", Optional.empty(), false))), "node"))
                .isEqualTo("1 node waits for printer, which the WorkerPool does not declare in spec.resources.");
    }

    @Test
    void saysHowManyPermitsThereAreAndWhoHoldsThem() {
        Blockage.Missing counted = new Blockage.Missing(
                "tenant!acme",
                Optional.empty(),
                Optional.of(NOW),
                Optional.empty(),
                true,
                Optional.of(new Permits(2, 2, Optional.empty(), List.of("a", "b.3"))),
                false);
        assertThat(set(new Blockage(1, List.of(counted, missing("happy!0", Optional.empty(), true)))))
                .singleElement()
                .returns("PermitMissing", Condition::getReason)
                .returns(
                        "1 node waits for tenant!acme, 2 of 2 permits held by a, b.3; then happy!0.",
                        Condition::getMessage);
    }

    /** Tasks that hold a permit change every moment. */
    @Test
    void keepsItsWordsWhereOthersHoldThePermits() {
        Condition first = set(heldBy(2, "a", "b.3")).getFirst();
        assertThat(set(heldBy(1, "c"), first)).singleElement().returns(first.getMessage(), Condition::getMessage);
        Blockage others = new Blockage(2, heldBy(1, "c").missing());
        assertThat(set(others, first))
                .singleElement()
                .returns("2 nodes wait for tenant!acme, 1 of 2 permits held by c.", Condition::getMessage);
    }

    private static Blockage heldBy(long used, String... ids) {
        return new Blockage(
                1,
                List.of(new Blockage.Missing(
                        "tenant!acme",
                        Optional.empty(),
                        Optional.of(NOW),
                        Optional.empty(),
                        true,
                        Optional.of(new Permits(2, used, Optional.empty(), List.of(ids))),
                        false)));
    }

    @Test
    void saysThatARunCannotHoldPermits() {
        Blockage.Missing refused = new Blockage.Missing(
                "db", Optional.empty(), Optional.empty(), Optional.empty(), true, Optional.empty(), true);
        assertThat(set(new Blockage(3, List.of(refused))))
                .singleElement()
                .returns("SchedulingNotSupported", Condition::getReason)
                .returns(
                        "3 nodes wait for db, which has permits, and only Tasks can hold those.",
                        Condition::getMessage);
    }

    @Test
    void saysHowManyHaveStartedInAWindow() {
        Blockage.Missing rate = new Blockage.Missing(
                "api!x",
                Optional.empty(),
                Optional.of(NOW),
                Optional.empty(),
                true,
                Optional.of(new Permits(100, 100, Optional.of(Duration.ofMinutes(1)), List.of())),
                false);
        assertThat(set(new Blockage(3, List.of(rate))))
                .singleElement()
                .returns("RateLimited", Condition::getReason)
                .returns("3 nodes wait for api!x, 100 of 100 started in the present 60 s.", Condition::getMessage);
    }

    @Test
    void isAbsentBeforeTheFirstTimeAndFalseAfterIt() {
        assertThat(set(Blockage.NONE)).isEmpty();
        assertThat(set(Blockage.NONE, BEFORE))
                .singleElement()
                .returns("False", Condition::getStatus)
                .returns("NothingMissing", Condition::getReason);
    }
}
