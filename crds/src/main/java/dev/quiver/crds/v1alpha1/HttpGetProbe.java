package dev.quiver.crds.v1alpha1;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/** A request by HTTP that tells whether a resource is there, in the words of a container's probe. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record HttpGetProbe(
        @JsonPropertyDescription(
                "Name of a Service in the pool's namespace, or a host that the operator's setting probeHosts allows: 1 to 253"
                        + " characters.")
        @Required
        @Size(min = 1, max = HttpGetProbe.HOST_LENGTH)
        @Pattern(HttpGetProbe.HOST)
        String host,

        @JsonPropertyDescription("Its port: 1 to 65535.") @Required @Min(1) @Max(65_535)
        Integer port,

        @JsonPropertyDescription("The path with its query: at most 1024 printable characters without blanks.")
        @Default("/")
        @Size(min = 1, max = HttpGetProbe.PATH_LENGTH)
        @Pattern(HttpGetProbe.PATH)
        String path,

        @JsonPropertyDescription(
                "HTTP or HTTPS. As with a container's probe the certificate of the server is not checked.")
        @Default("HTTP")
        @JsonFormat(with = JsonFormat.Feature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
        Scheme scheme) {

    /** Characters of a host at most. */
    public static final int HOST_LENGTH = 253;

    /** The form of a host: labels of letters, digits, - and _, or an IPv4 address. */
    public static final String HOST =
            "^[A-Za-z0-9]([-_A-Za-z0-9]*[A-Za-z0-9])?([.][A-Za-z0-9]([-_A-Za-z0-9]*[A-Za-z0-9])?)*$";

    /** Characters of a path at most. */
    public static final int PATH_LENGTH = 1024;

    /** The form of a path. */
    public static final String PATH = "^/[!-~]*$";

    /** How the server is asked. */
    public enum Scheme {
        /** Without TLS. */
        @com.fasterxml.jackson.annotation.JsonEnumDefaultValue
        HTTP,
        /** With TLS. */
        HTTPS
    }

    public HttpGetProbe {
        path = path == null ? "/" : path;
        scheme = scheme == null ? Scheme.HTTP : scheme;
    }
}
