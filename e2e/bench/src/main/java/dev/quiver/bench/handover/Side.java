package dev.quiver.bench.handover;

import java.util.List;
import java.util.Map;

/**
 * A program that takes payloads.
 *
 * @param language in which it is written
 * @param command its words, to which the mode is added
 * @param environment on top of ours
 * @param readsTables whether it has a function {@code rows}
 */
record Side(String language, List<String> command, Map<String, String> environment, boolean readsTables) {}
