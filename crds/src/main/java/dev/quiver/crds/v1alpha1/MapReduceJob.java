package dev.quiver.crds.v1alpha1;

import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Kind;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Singular;
import io.fabric8.kubernetes.model.annotation.Version;

/** Chunks of work, one function or program for each of them, and one for their results, in the order of the chunks. */
@ValidationRule(
        value = "oldSelf.hasValue() || (size(self.metadata.name) <= 63 && self.metadata.name" + Rules.IS_DNS_LABEL
                + ")",
        message = "metadata.name must be a DNS label (" + Rules.DNS_LABEL + ") of at most 63 characters",
        optionalOldSelf = true)
@Group(Quiver.GROUP)
@Version(Quiver.VERSION)
@Kind("MapReduceJob")
@Plural("mapreducejobs")
@Singular("mapreducejob")
@ShortNames("mrj")
@Categories(Quiver.CATEGORY)
public class MapReduceJob extends CustomResource<MapReduceJobSpec, MapReduceJobStatus> implements Namespaced {
    private static final long serialVersionUID = 1L;

    /** The longest name of a MapReduceJob: it must be a value of a label. */
    public static final int MAX_NAME_LENGTH = 63;
}
