package dev.quiver.controller.kube;

import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;

/** Server-side apply under the operator's one field manager, which takes every field that it names, for good. */
public final class ServerSideApply {

    /** Owns every field that the operator applies: statuses, Secrets, ConfigMaps. */
    public static final String FIELD_MANAGER = "quiver-operator";

    /** Takes every field that the patch names from other field managers. */
    public static final PatchContext FORCED = new PatchContext.Builder()
            .withPatchType(PatchType.SERVER_SIDE_APPLY)
            .withFieldManager(FIELD_MANAGER)
            .withForce(true)
            .build();

    private ServerSideApply() {}
}
