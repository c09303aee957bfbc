package dev.quiver.controller.store;

import java.util.List;
import java.util.Set;

import dev.quiver.lifecycle.Lifecycle;
import dev.quiver.lifecycle.redis.CallRights;
import dev.quiver.lifecycle.redis.FunctionRights;

/** A server that can be used, and that keeps nothing. */
public final class WellServer implements StoreAdmin {

    @Override
    public Deployment look() {
        return new Deployment("one", "noeviction", 0, 5);
    }

    @Override
    public boolean setUser(String name, List<String> rules) {
        return true;
    }

    @Override
    public boolean removeUser(String name) {
        return true;
    }

    @Override
    public Lua lua() {
        return Lua.FUNCTIONS;
    }

    @Override
    public CallRights calls() {
        return CallRights.of(FunctionRights.of(Lifecycle.LIBRARY));
    }

    @Override
    public void dropOldFunctions(Set<String> used) {}

    @Override
    public void close() {}
}
