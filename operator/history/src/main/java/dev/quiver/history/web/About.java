package dev.quiver.history.web;

import java.util.Optional;

import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a reader should know of the whole record.
 *
 * @param database its product
 * @param trouble why the record does not grow; absent while it does
 * @param setAside the name under which a damaged file was set aside at the start
 * @param replaced words about a file that was removed or replaced while it was open
 * @param emptyDir whether the record ends with the pod
 */
public record About(
        String database,
        Optional<String> trouble,
        Optional<String> setAside,
        Optional<String> replaced,
        boolean emptyDir) {

    ObjectNode document() {
        ObjectNode body = Documents.object().put("database", database).put("ready", trouble.isEmpty());
        trouble.ifPresent(why -> body.put("trouble", why));
        setAside.ifPresent(name -> body.put("setAside", name));
        replaced.ifPresent(words -> body.put("replaced", words));
        return body.put("emptyDir", emptyDir);
    }
}
