package dev.quiver.controller.store;

import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.processing.event.ResourceID;

import dev.quiver.lifecycle.keyspace.Keyspace;

/**
 * Resources of one kind that a leader follows in Redis, by uid and by keyspace. So a question about one keyspace does
 * not read the others. Each resource has at most one note, which is removed with it. Thread-safe.
 *
 * @param <T> a note
 */
public final class Followed<T> {

    /** A resource that is followed. */
    public record Resource(ResourceID id, String uid, Keyspace keyspace) {}

    private final Map<String, Resource> all = new HashMap<>();
    private final Map<Keyspace, Map<String, Resource>> index = new HashMap<>();
    private final Map<Keyspace, Map<String, T>> notes = new HashMap<>();
    /** Under which id Redis has a resource going, by uid. */
    private final Map<Keyspace, Map<String, String>> going = new HashMap<>();

    private final List<Consumer<Collection<ResourceID>>> listeners = new CopyOnWriteArrayList<>();

    /** Follows a resource from now on; call it before the first look at the resource. Idempotent. */
    public synchronized void follow(HasMetadata resource, Keyspace keyspace) {
        String uid = resource.getMetadata().getUid();
        Resource now = new Resource(ResourceID.fromResource(resource), uid, keyspace);
        if (!now.equals(all.get(uid))) {
            unfollow(uid);
            all.put(uid, now);
            index.computeIfAbsent(keyspace, _ -> new LinkedHashMap<>()).put(uid, now);
        }
    }

    /** Stops following a resource. */
    public synchronized void unfollow(String uid) {
        takeNote(uid);
        Resource gone = all.remove(uid);
        if (gone != null) {
            remove(going, gone.keyspace(), uid);
            remove(index, gone.keyspace(), uid);
        }
    }

    /** The keyspace of a resource, if it is followed. */
    public synchronized Optional<Keyspace> keyspace(String uid) {
        return Optional.ofNullable(all.get(uid)).map(Resource::keyspace);
    }

    /** The number of resources. */
    public synchronized int size() {
        return all.size();
    }

    /** The resources of one keyspace, in the order in which they came. */
    public synchronized List<Resource> in(Keyspace keyspace) {
        return List.copyOf(index.getOrDefault(keyspace, Map.of()).values());
    }

    /** The keyspaces that have resources. */
    public synchronized Collection<Keyspace> keyspaces() {
        return Set.copyOf(index.keySet());
    }

    /**
     * Notes under which id a resource was seen going in Redis; absent when it was not. Ignored for a resource that is not
     * followed.
     */
    public synchronized void seen(String uid, Optional<String> id) {
        Resource resource = all.get(uid);
        if (resource != null && id.isPresent()) {
            going.computeIfAbsent(resource.keyspace(), _ -> new HashMap<>()).put(uid, id.get());
        } else if (resource != null) {
            remove(going, resource.keyspace(), uid);
        }
    }

    /** The ids under which resources of a keyspace were seen going. */
    public synchronized List<String> going(Keyspace keyspace) {
        return List.copyOf(going.getOrDefault(keyspace, Map.of()).values());
    }

    /** Puts a note on a resource of that keyspace; false when the resource is not followed there. */
    public synchronized boolean note(Keyspace keyspace, String uid, T what) {
        boolean here = index.getOrDefault(keyspace, Map.of()).containsKey(uid);
        if (here) {
            notes.computeIfAbsent(keyspace, _ -> new HashMap<>()).put(uid, what);
        }
        return here;
    }

    /** The note of a resource. */
    public synchronized Optional<T> noted(String uid) {
        return keyspace(uid).map(keyspace -> notedIn(keyspace).get(uid));
    }

    /** The resources of a keyspace that have a note, by uid. */
    public synchronized Map<String, T> notesIn(Keyspace keyspace) {
        return Map.copyOf(notedIn(keyspace));
    }

    /** How many resources of a keyspace have a note. */
    public synchronized int notes(Keyspace keyspace) {
        return notedIn(keyspace).size();
    }

    /** All notes. */
    public synchronized List<T> notes() {
        return notes.values().stream().flatMap(of -> of.values().stream()).toList();
    }

    /** Removes a resource's note; returns the resource, when there was one. */
    public synchronized Optional<ResourceID> takeNote(String uid) {
        Resource resource = all.get(uid);
        return resource != null && remove(notes, resource.keyspace(), uid)
                ? Optional.of(resource.id())
                : Optional.empty();
    }

    /** Removes the notes of a keyspace. */
    public synchronized void dropNotes(Keyspace keyspace) {
        notes.remove(keyspace);
    }

    /** Removes all notes. */
    public synchronized void dropNotes() {
        notes.clear();
    }

    /** Called with resources to reconcile. */
    public void onChange(Consumer<Collection<ResourceID>> listener) {
        listeners.add(listener);
    }

    /** Requests a reconcile of these resources. */
    public void wake(Collection<ResourceID> resources) {
        if (!resources.isEmpty()) {
            listeners.forEach(l -> l.accept(resources));
        }
    }

    /** Requests a reconcile of every resource of a keyspace: the keyspace has changed. */
    public void wakeAll(Keyspace keyspace) {
        wake(in(keyspace).stream().map(Resource::id).toList());
    }

    private Map<String, T> notedIn(Keyspace keyspace) {
        return notes.getOrDefault(keyspace, Map.of());
    }

    private static <V> boolean remove(Map<Keyspace, Map<String, V>> from, Keyspace keyspace, String uid) {
        Map<String, V> there = from.getOrDefault(keyspace, Map.of());
        boolean removed = there.containsKey(uid) && there.remove(uid) != null;
        if (removed && there.isEmpty()) {
            from.remove(keyspace);
        }
        return removed;
    }
}
