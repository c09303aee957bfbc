package dev.quiver.bench.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;

/** The page in a real browser: frames of the timeline while it is dragged, and bytes of the first load. */
public final class PageBench implements Bench {

    private static final double AIM_MILLIS = 16;
    private static final double AIM_BYTES = 100_000;
    private static final int TIMES = 10;

    @Override
    public String name() {
        return "history-page";
    }

    @Override
    public String question() {
        return "frame time of the timeline at 10^5 and 10^6 trials in Chromium, and bytes of the page";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Load small = new Load("small", lab.pace().record().drawn(), 1, true);
        Load large = new Load("large", small.tasks() * TIMES, 1, true);
        Aims aims = new Aims(name());
        List<String> text = new ArrayList<>();
        try (Site site = new Site(lab)) {
            HistoryProcess history = site.sqlite("page");
            try (Stream stream = new Stream(site.redis().port(), history)) {
                stream.gather(small.name(), small, false);
                stream.gather(large.name(), large, false);
                stream.open();
                stream.awaitEmpty();
                stream.awaitSealed();
            }
            try (Browser browser = new Browser()) {
                browser.open(history.page(), "/" + history.namespace(), ".runs");
                aims.add("first load", browser.loadedBytes(), "bytes", AIM_BYTES);
                for (Load load : List.of(small, large)) {
                    String view = "/" + history.namespace() + "/runs/" + load.name();
                    browser.open(history.page(), view, "canvas[data-drawn]");
                    for (int round = 0; round < lab.pace().rounds(); round++) {
                        int moves = lab.pace().record().moves();
                        frames(browser.drag(moves), "dragged", load, load == small, aims);
                        browser.open(history.page(), view, "canvas[data-drawn]");
                        frames(browser.zoom(moves), "zoomed", load, load == small, aims);
                        browser.open(history.page(), view, "canvas[data-drawn]");
                    }
                }
                text.add(browser.described()
                        + ", headless, software rendering, 1,400 x 1,000, frames without a limit of rate;"
                        + " between requestAnimationFrame calls, of frames in which the timeline was drawn, while the pointer is"
                        + " dragged over it, and while keys zoom in and out; 16 workers of 8 slots");
            }
            text.add(aims.table());
        }
        return new Report(text, aims.figures());
    }

    private static void frames(List<Double> millis, String moved, Load load, boolean aimed, Aims aims) {
        String figure = String.format(Locale.ROOT, "frame at %,d trials, %s", load.tasks(), moved);
        if (millis.isEmpty()) {
            throw new IllegalStateException("the timeline of " + load.name() + " was not drawn while it was " + moved);
        }
        aims.add(figure + ", drawn", millis.size(), "frames");
        aims.add(figure + ", p50", Latencies.quantile(millis, 0.5), "ms");
        if (aimed) {
            aims.add(figure + ", p95", Latencies.quantile(millis, 0.95), "ms", AIM_MILLIS);
        } else {
            aims.add(figure + ", p95", Latencies.quantile(millis, 0.95), "ms");
        }
    }
}
