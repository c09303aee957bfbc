package dev.quiver.supervisor.engine.session;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;

import dev.quiver.lifecycle.worker.WorkSource;
import dev.quiver.supervisor.engine.slots.ClaimedTask;
import dev.quiver.supervisor.execution.ListPages;
import dev.quiver.supervisor.execution.ListedEnd;
import dev.quiver.supervisor.execution.TrialResult;

/**
 * Programs that ended and wrote a list of tasks. The list goes to Redis page by page, and the program is settled afterwards.
 * Until then its slot keeps the list, so a process that starts anew brings it again. Belongs to the engine's thread.
 */
final class Listings {

    /** Lists at a time: each has a page in this process. */
    private static final int AT_ONCE = 2;

    /** A program that ended, and what is to be done with its end once its list is there. */
    private record Waiting(WorkSource source, ClaimedTask held, TrialResult ending, Consumer<TrialResult> then) {}

    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>();
    private final Set<ClaimedTask> bringing = Collections.newSetFromMap(new IdentityHashMap<>());
    private final BooleanSupplier wanted;
    private final EngineContext context;

    /**
     * Brings the lists of a session.
     *
     * @param wanted whether the session's calls still matter
     */
    Listings(BooleanSupplier wanted, EngineContext context) {
        this.wanted = wanted;
        this.context = context;
    }

    /**
     * Brings the list of a program.
     *
     * @param then takes its end, at once where it did not pass
     */
    void bring(WorkSource source, ClaimedTask held, TrialResult ending, Consumer<TrialResult> then) {
        if (ending.kind() != TrialResult.Kind.PASSED) {
            then.accept(ending);
            return;
        }
        waiting.add(new Waiting(source, held, ending, then));
        beginNext();
    }

    private void beginNext() {
        while (bringing.size() < AT_ONCE && !waiting.isEmpty()) {
            Waiting next = waiting.removeFirst();
            bringing.add(next.held());
            bring(next, new ListPages(next.ending().output()), 0);
        }
    }

    /** A page that Redis has no memory for is sent again, as one that it does not answer. */
    private void bring(Waiting listing, ListPages pages, int page) {
        Optional<String> text;
        try {
            text = pages.next();
        } catch (ListPages.LostException lost) {
            end(listing, Settlements.lost(lost.getMessage()));
            return;
        } catch (IllegalArgumentException senseless) {
            end(listing, ListedEnd.refused(listing.ending(), senseless.getMessage()));
            return;
        }
        if (text.isEmpty()) {
            end(listing, listing.ending());
            return;
        }
        context.calls()
                .untilAnswered(
                        () -> listing.source().list(listing.held().claim(), page, text.get()),
                        wanted,
                        taken -> answered(listing, pages, page, taken));
    }

    private void answered(Waiting listing, ListPages pages, int page, boolean taken) {
        if (!bringing.contains(listing.held())) {
            return; // the session was fenced meanwhile
        }
        if (taken) {
            bring(listing, pages, page + 1);
        } else {
            end(listing, listing.ending()); // the step hears why
        }
    }

    private void end(Waiting listing, TrialResult ending) {
        bringing.remove(listing.held());
        listing.then().accept(ending);
        beginNext();
    }

    /** All that are being brought, or wait for their turn, which is in vain from now on. */
    List<ClaimedTask> takeAll() {
        List<ClaimedTask> all = new ArrayList<>(bringing);
        waiting.forEach(each -> all.add(each.held()));
        bringing.clear();
        waiting.clear();
        return all;
    }
}
