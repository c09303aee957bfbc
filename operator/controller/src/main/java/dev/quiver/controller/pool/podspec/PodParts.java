package dev.quiver.controller.pool.podspec;

/** The fixed names of a worker pod: volumes, containers, paths, the port. The agent knows them too. */
public final class PodParts {

    static final String VOLUME_AGENT = "quiver-agent";
    static final String VOLUME_IN = "quiver-in";
    static final String VOLUME_OUT = "quiver-out";
    static final String VOLUME_WHOLE = "quiver-whole";
    static final String VOLUME_REDIS = "quiver-redis";
    static final String VOLUME_HISTORY = "quiver-history";

    static final String PATH_AGENT = "/quiver/agent";
    static final String PATH_IN = "/quiver/in";
    static final String PATH_OUT = "/quiver/out";
    static final String PATH_WHOLE = "/quiver/whole";
    static final String PATH_REDIS = "/quiver/redis";
    static final String PATH_HISTORY = "/quiver/history";

    static final String INSTALL = "quiver-install";
    public static final String SUPERVISOR = "quiver-supervisor";

    static final int HTTP_PORT = 9464;
    static final String HTTP_PORT_NAME = "quiver-http";

    public static final String COMPONENT_LABEL = "app.kubernetes.io/component";
    public static final String COMPONENT = "worker";

    /** The part of the grace period after the drain, for the supervisor's own end. */
    static final long GRACE_AFTER_DRAIN_SECONDS = 15;

    private PodParts() {}
}
