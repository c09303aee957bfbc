package dev.quiver.crds.v1alpha1;

import java.util.List;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;

/** Keys that a pool works under, beside the programs that share them. */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record GrantedPrefix(
        @JsonPropertyDescription(
                "What the keys begin with, such as idoit: (npm's option ns) or queue:, as an administrator has granted it to"
                        + " the namespace: 1 to 64 printable ASCII characters without space, braces, *, ?, [, ] and \\.")
        @Required
        @Size(min = 1, max = GrantedPrefix.MAX_LENGTH)
        @ValidationRule(
                value = "self.matches('" + GrantedPrefix.FORM + "')",
                message = "must be printable ASCII characters without space, braces, *, ?, [, ] and \\")
        @ValidationRule(
                value = "!self.startsWith('quiver:') && !'quiver:'.startsWith(self)",
                message = "must not overlap the keys of Quiver itself, which begin with quiver:")
        String prefix,

        @JsonPropertyDescription(
                "Types that a handler of another name runs, or with other bounds: at most 256, each name once. Any other"
                        + " type runs on the handler of its name. With wire Idoit it has 2 trials, 60 s between them and"
                        + " 120 s for each; with wire Queue 3 trials of each chunk, 60 s and 30 s.")
        @Size(max = GrantedPrefix.MAX_TYPES)
        List<GrantedType> types,

        @JsonPropertyDescription(
                "Programs that share the keys. Idoit: those of npm's idoit. Queue: map-reduce queues, whose jobs of type T"
                        + " run the functions T.map, T.process and T.reduce.")
        @Default("Idoit")
        PrefixWire wire) {

    /** The longest prefix. */
    public static final int MAX_LENGTH = 64;

    /** How many types may be listed. */
    public static final int MAX_TYPES = 256;

    /** Printable ASCII but space, {@code * ? [ ] \} and braces: it becomes a pattern of an ACL, and part of keys. */
    public static final String FORM = "^[!-)+->@-Z^-z|~]+$";

    public GrantedPrefix {
        types = types == null ? List.of() : List.copyOf(types);
        wire = wire == null ? PrefixWire.Idoit : wire;
    }

    /** A prefix of idoit's programs. */
    public GrantedPrefix(String prefix, List<GrantedType> types) {
        this(prefix, types, PrefixWire.Idoit);
    }

    /** The function that runs tasks of a type. */
    public String handlerOf(String type) {
        return types.stream()
                .filter(it -> it.name().equals(type))
                .findFirst()
                .map(GrantedType::handlerOrName)
                .orElse(type);
    }
}
