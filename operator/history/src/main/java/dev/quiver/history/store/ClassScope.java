package dev.quiver.history.store;

/**
 * The namespace of a class of runs. One that was deleted and made again is another one, and its classes begin anew.
 *
 * @param namespace its name
 * @param uid its uid, empty where nobody knows
 */
public record ClassScope(String namespace, String uid) {

    /** As {@code classes.namespace} has it: no name has a slash. */
    public String stored() {
        return uid.isEmpty() ? namespace : namespace + "/" + uid;
    }
}
