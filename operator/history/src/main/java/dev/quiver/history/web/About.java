package dev.quiver.history.web;

import java.util.Optional;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * The facts about the whole record that a reader should know.
 *
 * @param database its product
 * @param trouble why the record does not grow; absent while it does
 * @param setAside the name under which a damaged file was set aside at the start
 * @param replaced words about a file that was removed or replaced while it was open
 * @param emptyDir whether the record ends with the pod
 * @param shortage words with both figures, where the volume has less room than the record may take
 */
public record About(
        String database,
        Optional<String> trouble,
        Optional<String> setAside,
        Optional<String> replaced,
        boolean emptyDir,
        Optional<String> shortage) {

    /** Where there is room enough. */
    public About(
            String database,
            Optional<String> trouble,
            Optional<String> setAside,
            Optional<String> replaced,
            boolean emptyDir) {
        this(database, trouble, setAside, replaced, emptyDir, Optional.empty());
    }

    ObjectNode document() {
        ObjectNode body = Documents.object().put("database", database).put("ready", trouble.isEmpty());
        trouble.ifPresent(why -> body.put("trouble", why));
        setAside.ifPresent(name -> body.put("setAside", name));
        replaced.ifPresent(words -> body.put("replaced", words));
        shortage.ifPresent(words -> body.put("shortage", words));
        return body.put("emptyDir", emptyDir);
    }
}
