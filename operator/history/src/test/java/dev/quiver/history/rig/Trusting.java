package dev.quiver.history.rig;

import java.net.InetAddress;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import dev.quiver.history.access.Access;
import dev.quiver.history.access.AccessException;
import dev.quiver.history.access.Caller;
import dev.quiver.history.access.Right;
import dev.quiver.history.live.Live;
import dev.quiver.history.live.LiveFigures;
import dev.quiver.history.live.LiveRoster;
import dev.quiver.history.live.LiveRun;

/** Admits one token to everything: for tests that are not about who may read. */
public final class Trusting implements Access {

    /** The one token. */
    public static final String TOKEN = "trusted";

    /** No run has figures. */
    public static final Live NO_LIVE = new Live() {
        @Override
        public Optional<LiveFigures> of(LiveRun run) {
            return Optional.empty();
        }

        @Override
        public Optional<LiveRoster> roster(LiveRun run, LiveRoster.Place from, int limit) {
            return Optional.of(new LiveRoster(List.of(), Optional.empty(), Optional.empty()));
        }
    };

    private static final Caller SOMEBODY = new Caller("somebody", "", List.of(), Map.of(), Optional.empty());

    @Override
    public Caller caller(String token, InetAddress from) {
        if (!token.equals(TOKEN)) {
            throw new AccessException(AccessException.Kind.UNKNOWN, "the token is false");
        }
        return SOMEBODY;
    }

    @Override
    public boolean may(Caller caller, Right right) {
        return true;
    }

    @Override
    public Optional<String> living(String namespace) {
        return Optional.of(""); // as records of tests have it
    }
}
