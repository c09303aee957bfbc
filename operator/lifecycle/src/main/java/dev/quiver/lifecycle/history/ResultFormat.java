package dev.quiver.lifecycle.history;

/** Format of a result in its row. The order is part of the format: append only. */
public enum ResultFormat {
    /** JSON as the program wrote it: bytes, perhaps with NUL or lone surrogates in escapes. */
    JSON("application/json"),
    /** Any bytes. */
    BYTES("application/octet-stream"),
    /** An Arrow IPC stream. */
    ARROW("application/vnd.apache.arrow.stream");

    private static final ResultFormat[] ALL = values();
    private final String mediaType;

    ResultFormat(String mediaType) {
        this.mediaType = mediaType;
    }

    /** The media type for HTTP. */
    public String mediaType() {
        return mediaType;
    }

    static ResultFormat of(int code) throws MalformedEntryException {
        if (code >= ALL.length) {
            throw MalformedEntryException.newer("no format of results has the number " + code);
        }
        return ALL[code];
    }
}
