package dev.quiver.slots;

/**
 * The content of a trial's output file.
 *
 * @param bytes how many
 * @param format what they are, or what lies where they lead
 * @param locator whether they are a locator: the UTF-8 of a URL or path, at most {@value Payload#MAX_LOCATOR_BYTES}
 *     bytes. Where it leads was chosen by the user's code: whoever follows it does so in that code's name
 */
public record SlotOutput(long bytes, DataFormat format, boolean locator) {}
