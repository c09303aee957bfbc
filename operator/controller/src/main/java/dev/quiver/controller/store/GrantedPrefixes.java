package dev.quiver.controller.store;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;

import dev.quiver.crds.v1alpha1.GrantedPrefix;
import dev.quiver.crds.v1alpha1.WorkerPool;
import dev.quiver.crds.v1alpha1.WorkerPoolReason;

/**
 * The prefixes of Redis keys that an administrator granted, at most one to a namespace. A prefix is granted to one
 * namespace alone, with all keys that begin with it. Pure.
 *
 * @param byNamespace the prefix of each namespace that has one
 * @param cluster whether Redis is a Cluster, where no prefix can be used
 */
public record GrantedPrefixes(Map<String, String> byNamespace, boolean cluster) {

    /** The beginning of all keys of Quiver itself. */
    private static final String OWN = "quiver:";

    private static final Pattern FORM = Pattern.compile(GrantedPrefix.FORM);

    /**
     * Copies the map, and checks it.
     *
     * @throws IllegalArgumentException for a prefix that is none, or overlaps another, naming namespace and value
     */
    public GrantedPrefixes {
        Map<String, String> sorted = new TreeMap<>(byNamespace);
        sorted.forEach(GrantedPrefixes::check);
        sorted.forEach((namespace, prefix) -> sorted.forEach((other, its) -> {
            if (!namespace.equals(other) && its.startsWith(prefix)) {
                throw new IllegalArgumentException("the prefix of " + namespace + ", " + prefix + ", overlaps that of "
                        + other + ", " + its + ": each is granted to one namespace alone");
            }
        }));
        byNamespace = Map.copyOf(sorted);
    }

    /** The use that a pool makes of its field {@code spec.grantedPrefix}. */
    public sealed interface Use {
        /** It has no such field. */
        record None() implements Use {}

        /** It works under this prefix. */
        record Granted(String prefix) implements Use {}

        /** It may not. */
        record Refused(WorkerPoolReason reason, String message) implements Use {}

        /** The prefix, where the pool works under one. */
        default Optional<String> usable() {
            return this instanceof Granted(String prefix) ? Optional.of(prefix) : Optional.empty();
        }
    }

    /** The map as JSON. */
    public static Map<String, String> read(String json) {
        Map<String, String> read;
        try {
            read = new JsonMapper().readValue(json, new TypeReference<>() {});
        } catch (JsonProcessingException e) {
            throw new IllegalArgumentException("an object is needed that maps namespaces to prefixes", e);
        }
        return new GrantedPrefixes(read, false).byNamespace();
    }

    /** The prefix that a namespace can use. */
    public Optional<String> of(String namespace) {
        return Optional.ofNullable(byNamespace.get(namespace)).filter(_ -> !cluster);
    }

    /** The keys of a run under a prefix. */
    public sealed interface Place {
        /** They begin with this prefix. */
        record At(String prefix) implements Place {}

        /** There is no prefix under which this operator may look. */
        record Withheld(String message) implements Place {}
    }

    /**
     * The place of a run's keys. Once its status names a prefix, they are there or nowhere.
     *
     * @param noun the run, such as "the Task", for the message
     * @param wire word of its field {@code spec.wire}
     */
    public Place place(String namespace, Optional<String> recorded, String noun, String wire) {
        return of(namespace)
                .filter(prefix -> recorded.map(prefix::equals).orElse(true))
                .<Place>map(Place.At::new)
                .orElseGet(() -> new Place.Withheld(recorded.map(prefix -> "The state of " + noun + " has the prefix \""
                                + prefix + "\", which namespace " + namespace
                                + " is not granted any more; an administrator must set operator.grantedPrefixes."
                                + namespace + " of the chart to it.")
                        .orElseGet(() -> "spec.wire: " + wire + " needs a prefix, and namespace " + namespace
                                + " is granted none that it can use; an administrator must set"
                                + " operator.grantedPrefixes." + namespace + " of the chart.")));
    }

    /** The use that a pool makes of its field. */
    public Use of(WorkerPool pool) {
        return pool.getSpec()
                .foreignKeys()
                .map(keys -> use(pool.getMetadata().getNamespace(), keys.prefix()))
                .orElseGet(Use.None::new);
    }

    private Use use(String namespace, String prefix) {
        String field = "spec.grantedPrefix.prefix: \"" + prefix + "\"";
        if (cluster) {
            return new Use.Refused(
                    WorkerPoolReason.RedisCluster,
                    field
                            + " cannot be used on a Redis Cluster, where such keys stand in different slots; an administrator"
                            + " must give Quiver a Redis that is none.");
        }
        String granted = byNamespace.get(namespace);
        if (prefix.equals(granted)) {
            return new Use.Granted(prefix);
        }
        return new Use.Refused(
                WorkerPoolReason.NotGranted,
                field + " is not granted to namespace " + namespace
                        + (granted == null ? "" : ", which has \"" + granted + "\"")
                        + "; an administrator must set operator.grantedPrefixes." + namespace + " of the chart to it.");
    }

    private static void check(String namespace, String prefix) {
        if (prefix == null
                || prefix.length() > GrantedPrefix.MAX_LENGTH
                || !FORM.matcher(prefix).matches()) {
            throw new IllegalArgumentException("the prefix of " + namespace + ", \"" + prefix + "\", must be 1 to "
                    + GrantedPrefix.MAX_LENGTH
                    + " printable ASCII characters without space, braces, *, ?, [, ] and \\");
        }
        if (prefix.startsWith(OWN) || OWN.startsWith(prefix)) {
            throw new IllegalArgumentException("the prefix of " + namespace + ", \"" + prefix
                    + "\", overlaps the keys of Quiver itself, which begin with " + OWN);
        }
    }
}
