package dev.quiver.controller.run;

import java.util.Collection;
import java.util.List;

import dev.quiver.lifecycle.keyspace.DirtyMark;
import dev.quiver.lifecycle.keyspace.Keyspace;

/** The marks that scripts leave in a keyspace on runs that they changed, of every kind together. Thread-safe. */
public interface ChangeMarks {

    /**
     * The oldest marks of a keyspace. They stay there.
     *
     * @param limit 1 to 1,000
     */
    List<DirtyMark> dirty(Keyspace keyspace, int limit);

    /** Removes marks that have not changed since. */
    void clean(Keyspace keyspace, Collection<DirtyMark> marks);
}
