package dev.quiver.bench.peer;

import java.util.ArrayList;
import java.util.List;

import dev.quiver.bench.Lab;

/** The queues that Quiver is held against. */
public enum PeerKind {
    /** From the Go module proxy, built by Go. */
    ASYNQ {
        @Override
        InstalledPeer installed(Lab lab) throws Exception {
            return Installations.asynq(lab);
        }
    },
    /** From the npm registry, run by Node. */
    BULLMQ {
        @Override
        InstalledPeer installed(Lab lab) throws Exception {
            return Installations.node(lab, "bullmq", "BullMQ", 15_000);
        }
    },
    /** From the npm registry, run by Node: the program whose wire format Quiver's own dialect replaces. */
    IDOIT {
        @Override
        InstalledPeer installed(Lab lab) throws Exception {
            return Installations.node(lab, "idoit", "idoit", 1_500);
        }
    },
    /** From PyPI, run by Python. */
    CELERY {
        @Override
        InstalledPeer installed(Lab lab) throws Exception {
            return Installations.celery(lab);
        }
    },
    /** From PyPI, run by Python, with what the example of phrases needs. */
    DASK {
        @Override
        InstalledPeer installed(Lab lab) throws Exception {
            return Installations.dask(lab);
        }
    },
    /** From PyPI, run by Python. */
    XDIST {
        @Override
        InstalledPeer installed(Lab lab) throws Exception {
            return Installations.xdist(lab);
        }
    };

    abstract InstalledPeer installed(Lab lab) throws Exception;

    /**
     * Installs it.
     *
     * @throws dev.quiver.bench.MissingPartException naming the runtime that it lacks
     */
    public InstalledPeer install(Lab lab) throws Exception {
        return installed(lab);
    }

    /**
     * Installs these, or none in a lab that runs alone.
     *
     * @throws dev.quiver.bench.MissingPartException naming the runtime that one of them lacks
     */
    public static List<InstalledPeer> install(Lab lab, PeerKind... kinds) throws Exception {
        List<InstalledPeer> peers = new ArrayList<>();
        for (PeerKind kind : lab.alone() ? new PeerKind[0] : kinds) {
            peers.add(kind.installed(lab));
        }
        return peers;
    }
}
