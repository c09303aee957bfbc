package dev.quiver.history.web;

import java.io.IOException;
import java.io.OutputStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;

import dev.quiver.history.query.Run;
import dev.quiver.history.query.Trial;
import dev.quiver.history.store.Database;
import dev.quiver.history.store.Packs;
import dev.quiver.lifecycle.history.HistoryBounds;
import dev.quiver.lifecycle.history.MalformedEntryException;
import dev.quiver.lifecycle.history.PackBody;
import dev.quiver.lifecycle.history.PackPlace;

/** The output and results of trials, as answers. Thread-safe. */
final class Outputs {

    private static final String TEXT = "text/plain; charset=utf-8";

    private final Database database;

    /** Creates the answers from that database. */
    Outputs(Database database) {
        this.database = database;
    }

    /** The end of a stream, or a log. */
    static Response tail(byte[] deflated) {
        return text(Text.tailBytes(deflated));
    }

    /** UTF-8. */
    static Response text(byte[] bytes) {
        return new Response.Bytes(TEXT, bytes);
    }

    /** A member at a time, each in a transaction of its own: a caller who takes a gigabyte keeps nobody out. */
    Response all(Run run, Trial trial, Optional<Trial.Pack> whole) {
        Trial.Pack pack = whole.orElseThrow(() -> Problem.notFound("output that is kept as a whole"));
        PackPlace place = pack.place();
        if (place.isNowhere()) {
            throw new Problem(404, "NotFound", "the output was lost: its worker found no room for it");
        }
        if (!pack.stored()) {
            throw missing("output", trial, pack);
        }
        if (place.length() > HistoryBounds.STREAM_BYTES) {
            throw Problem.notFound("output that can be read");
        }
        return new Response.Ranged(TEXT, place.length(), (range, out) -> write(run.id(), place, range, out));
    }

    private void write(long run, PackPlace place, ByteRange range, OutputStream out) throws IOException, SQLException {
        for (long at = range.first(); at < range.end(); ) {
            PackPlace.Member where = place.member(at).orElseThrow(() -> new IOException("no pack has " + place));
            byte[] bytes = bytes(run, where);
            int from = (int) (at - where.from());
            int length = (int) Math.min(range.end() - at, bytes.length - from);
            if (length <= 0) {
                throw new IOException(where + " ends too soon");
            }
            out.write(bytes, from, length);
            at += length;
        }
    }

    private byte[] bytes(long run, PackPlace.Member where) throws IOException, SQLException {
        PackBody.Member member = database.ask(connection -> Packs.member(connection, run, where.pack(), where.offset()))
                .orElseThrow(() -> new IOException(where + " is gone"));
        try {
            return member.bytes();
        } catch (MalformedEntryException forged) {
            throw new IOException(where + " cannot be read", forged);
        }
    }

    /** The result of a trial: from its row, or from its pack if all of it is asked for. */
    static Response result(Connection connection, Run run, Trial trial, boolean full) throws SQLException {
        if (full && trial.pack().isPresent()) {
            return packed(connection, run, trial, trial.pack().get());
        }
        return new Response.Bytes(
                trial.resultFormat().orElseThrow(() -> noResult(trial)).mediaType(), trial.result());
    }

    /** A pack comes some seconds after its row, or never where its worker died or history was away for long. */
    private static Response packed(Connection connection, Run run, Trial trial, Trial.Pack pack) throws SQLException {
        PackPlace place = pack.place();
        PackBody.Member member = Packs.member(connection, run.id(), place.pack(), place.offset())
                .orElseThrow(() -> missing("result", trial, pack));
        try {
            return new Response.Bytes(member.format().mediaType(), member.bytes());
        } catch (MalformedEntryException forged) {
            throw Problem.notFound("a result that can be read");
        }
    }

    private static Problem missing(String what, Trial trial, Trial.Pack pack) {
        boolean lost = Documents.lost(trial, pack);
        String why = trial.packsRefused()
                .map(words -> (lost ? "could not be kept: " : "has not come, and its worker tries again: ") + words)
                .orElse(
                        lost
                                ? "is lost: its worker ended before it had brought it, or history was away for too long"
                                : "is on its way: its worker has not brought it yet");
        return new Problem(404, "NotFound", "the " + what + " " + why);
    }

    private static Problem noResult(Trial trial) {
        return trial.resultBytes()
                .map(bytes -> new Problem(
                        404,
                        "NotFound",
                        "the result has " + bytes + " bytes, a record has at most " + HistoryBounds.RESULT_BYTES
                                + trial.pack()
                                        .map(pack -> "; ask for it with full=true")
                                        .orElse("")))
                .orElseGet(() -> Problem.notFound("result"));
    }
}
