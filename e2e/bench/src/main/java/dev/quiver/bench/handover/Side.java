package dev.quiver.bench.handover;

import java.util.List;
import java.util.Map;

/**
 * A program that takes payloads.
 *
 * @param language of the program
 * @param command its words, to which the mode is added
 * @param environment added to ours
 * @param readsTables whether it has a function {@code rows}
 */
public record Side(String language, List<String> command, Map<String, String> environment, boolean readsTables) {}
