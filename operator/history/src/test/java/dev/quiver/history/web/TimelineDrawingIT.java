package dev.quiver.history.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The arithmetic of the timeline's drawing ({@code columns.js}), in the browser that runs it. */
class TimelineDrawingIT extends PageInBrowser {

    /** Makes the columns of lanes, and draws them with the letter of each colour: one of a status, or a dot. */
    private static final String LIBRARY = """
            const { draw, itemAt, merged } = await import('./page/columns.js');
            const columns = (lanes) => {
              const items = lanes.flat();
              const laneStart = [0];
              for (const lane of lanes) laneStart.push(laneStart.at(-1) + lane.length);
              return {
                lanes: lanes.length, n: items.length, laneStart: Uint32Array.from(laneStart),
                start: Float64Array.from(items, (each) => each[0]), length: Uint32Array.from(items, (each) => each[1]),
                status: Uint8Array.from(items, (each) => each[2]), task: Float64Array.from(items, (_, i) => i),
                trial: Uint16Array.from(items, () => 1), slot: Uint8Array.from(lanes, (_, i) => i),
                worker: Float64Array.from(lanes, (_, i) => i % 2),
              };
            };
            const drawn = (lanes, { width, rows = lanes.length, height = 1, from = 0, to = width }) => {
              const colours = Uint32Array.from([...'pnfetlc'], (letter) => letter.charCodeAt(0));
              const pixels = new Uint32Array(width * rows * height);
              draw(columns(lanes), pixels, { width, rows, height, from, to, colours, blank: 46 });
              const text = String.fromCharCode(...pixels);
              return Array.from({ length: rows * height }, (_, y) => text.slice(y * width, (y + 1) * width));
            };
            """;

    @BeforeAll
    void openPage() {
        open("/team-a", ".runs");
    }

    @SuppressWarnings("unchecked")
    private List<Object> run(String expression) {
        return (List<Object>) browser.executeAsyncScript("const done = arguments[0]; (async () => {" + LIBRARY
                + "return " + expression + "; })().then(done, (error) => done([`${error}`]));");
    }

    private String picture(String lanes, String size) {
        return run("drawn(" + lanes + ", " + size + ")").stream()
                .map(String::valueOf)
                .collect(Collectors.joining("\n"));
    }

    @Test
    void anItemHasThePixelsOfItsTime() {
        assertThat(picture("[[[2, 3, 2], [8, 2, 4]]]", "{ width: 12 }")).isEqualTo("..fff...tt..");
        assertThat(picture("[[[20, 30, 2]]]", "{ width: 6, from: 0, to: 60 }")).isEqualTo("..fff.");
        assertThat(picture("[[[0, 40, 2]]]", "{ width: 4, from: 20, to: 60 }"))
                .as("from before the view, and a gap behind it")
                .isEqualTo("f...");
    }

    @Test
    void anItemOfLessThanAPixelIsSeen() {
        assertThat(picture("[[[30, 1, 2]]]", "{ width: 6, from: 0, to: 60 }")).isEqualTo("...f..");
        assertThat(picture("[[[30, 0, 2]]]", "{ width: 6, from: 0, to: 60 }")).isEqualTo("...f..");
    }

    @Test
    void theWorstOfAPixelIsSeen() {
        assertThat(picture("[[[0, 9, 0], [2, 3, 2], [3, 1, 6]]]", "{ width: 9, height: 8 }")
                        .split("\n")[3])
                .isEqualTo("ppfffppp.");
        assertThat(picture("[[[0, 4, 3], [0, 4, 2], [0, 4, 4]]]", "{ width: 4 }"))
                .as("a failure before an error and a time-out")
                .isEqualTo("fff.");
    }

    @Test
    void moreLanesThanRowsShareThem() {
        assertThat(picture("[[[0, 2, 2]], [[4, 2, 4]], [[8, 2, 3]], [[0, 2, 6]]]", "{ width: 10, rows: 2 }"))
                .isEqualTo("ff..tt....\ncc......ee");
    }

    @Test
    void passesLeaveTheEdgeOfTheirLaneFreeAndLossesAreStriped() {
        assertThat(picture("[[[0, 2, 0], [3, 2, 2]]]", "{ width: 6, height: 8 }"))
                .startsWith("...ff.\n...ff.\npp.ff.\n")
                .endsWith("pp.ff.\n...ff.");
        assertThat(picture("[[[0, 9, 5]]]", "{ width: 8 }")).isEqualTo("ll..ll..");
    }

    @Test
    void aPointerFindsTheItemBelowItElseTheNextWithinReach() {
        assertThat(run("[[5, 0], [15, 0], [17, 4], [40, 9], [25, 0]].map(([at, reach]) =>"
                        + " itemAt(columns([[[0, 10, 0], [20, 10, 0], [22, 5, 2]]]), 0, at, reach))"))
                .containsExactly(0L, -1L, 1L, -1L, 2L);
    }

    /** The second item of the first lane goes on until 30, so what is known of it is replaced. */
    @Test
    void whatHasEndedSinceJoinsWhatIsKnown() {
        String joined = "[%d].flatMap((trials) => { const its = merged(columns([[[0, 5, 0], [10, 20, 2]]]),"
                + " { ...columns([[[10, 20, 4], [31, 2, 0]], [[28, 3, 1]]]), trials }, 25);"
                + " return its ? [its.lanes, its.n, ...its.laneStart, ...its.start, ...its.length, ...its.status] : ['late']; })";
        assertThat(run(joined.formatted(4)))
                .containsExactly(2L, 4L, 0L, 3L, 4L, 0L, 10L, 31L, 28L, 5L, 20L, 2L, 3L, 0L, 4L, 0L, 1L);
        assertThat(run(joined.formatted(5)))
                .as("a trial that ended before is missing, so all of it is asked for")
                .containsExactly("late");
    }
}
