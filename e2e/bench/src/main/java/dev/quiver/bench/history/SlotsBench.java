package dev.quiver.bench.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.quiver.bench.Aims;
import dev.quiver.bench.Bench;
import dev.quiver.bench.Lab;
import dev.quiver.bench.Report;
import dev.quiver.bench.Samples;
import dev.quiver.bench.throughput.Contender;
import dev.quiver.bench.throughput.Executors;
import dev.quiver.bench.throughput.Executors.Recorded;
import dev.quiver.bench.throughput.QuiverContender;
import dev.quiver.bench.throughput.Rounds;

/** Tasks a second through real slots, recorded and persisted at once, against not recorded. */
public final class SlotsBench implements Bench {

    /** The aim, as a share of the tasks a second without the record. */
    private static final double AIM = 0.95;

    @Override
    public String name() {
        return "history-throughput";
    }

    @Override
    public String question() {
        return "no-op tasks a second through slots, recorded and persisted to SQLite against not recorded";
    }

    @Override
    public Report run(Lab lab) throws Exception {
        Executors off = Executors.oneThread(lab, "history off");
        Executors unread = off.recorded("history on, unread", Recorded.UNREAD);
        Executors read = off.recorded("history on, persisted", Recorded.READ);
        Aims aims = new Aims(name());
        List<String> text = new ArrayList<>();
        List<Contender> contenders = new ArrayList<>();
        try (Site site = new Site(lab)) {
            site.sqlite(QuiverContender.namespace(read));
            List<Integer> slots = lab.pace().slots();
            for (Executors executors : List.of(off, unread, read)) {
                QuiverContender contender = QuiverContender.start(
                        lab, executors, slots, site.redis(), site.redis().port());
                contenders.add(site.closing(contender));
            }
            Map<Integer, Map<String, Samples>> rates = Rounds.measure(contenders, slots, site.redis(), lab.pace());
            rates.forEach((size, row) -> {
                Samples without = row.get(off.contender());
                row.forEach((name, with) ->
                        add(aims, name + ", slots=" + size, with, without, name.equals(read.contender())));
            });
            text.add(site.redis().described());
            text.add(
                    "a supervisor for each, one executor thread for all slots; the persister is the real program on the same"
                            + " cores, and a turn ends when its stream is empty; each ratio is that of one round");
            text.add(aims.table());
            contenders.forEach(contender -> text.addAll(contender.remarks()));
        }
        return new Report(text, aims.figures());
    }

    private static void add(Aims aims, String figure, Samples with, Samples without, boolean aimed) {
        for (int round = 0; round < with.values().size(); round++) {
            double rate = with.values().get(round);
            aims.add(figure, rate, "tasks/s");
            if (with == without) {
                continue;
            }
            double ratio = rate / without.values().get(round);
            if (aimed) {
                aims.add(figure + ", on / off", ratio, "times", AIM);
            } else {
                aims.add(figure + ", on / off", ratio, "times");
            }
        }
    }
}
