package dev.quiver.history.access;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A caller as the API server knows it.
 *
 * @param user its name
 * @param uid its uid, or empty
 * @param groups of which it is a member
 * @param extra further facts of its authenticator, which an authorizer may need
 * @param readerOf the namespace whose whole record it may read, and nothing else
 */
public record Caller(
        String user, String uid, List<String> groups, Map<String, List<String>> extra, Optional<String> readerOf) {}
