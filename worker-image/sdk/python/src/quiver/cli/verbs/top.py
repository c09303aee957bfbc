"""Pools by busy slots: how many slots, what waits for them, for how long nothing was given out, and which runs hold them."""

from quiver.cli import kinds, program, state, text, times

_SHOWN = 3  # runs of a pool


def arguments(parser):
    parser.add_argument("-A", "--all-namespaces", action="store_true", help="pools of all namespaces")
    program.output(parser)


def run(parsed):
    api = program.api(parsed)
    found = kinds.selected(api, None, kinds.ALL, parsed.all_namespaces)
    pools = [_pool(one, found) for kind, one in found if kind is kinds.WORKER_POOL]
    pools.sort(key=lambda pool: (-pool["busySlots"], -pool["queued"], pool["namespace"], pool["name"]))
    if parsed.output == "json":
        text.document({"items": pools})
        return
    if not pools:
        text.note("no pools" + ("" if parsed.all_namespaces else f" in namespace {api.access.namespace}"))
        return
    start = ("NAMESPACE",) if parsed.all_namespaces else ()
    text.table((*start, "POOL", "PODS", "BUSY", "QUEUED", "STALLED", "STATE", "RUNS"),
               [((pool["namespace"],) if start else ()) + _row(pool) for pool in pools])


def _pool(found, everything):
    """A pool with the runs that it works for."""
    told = state.summary(kinds.WORKER_POOL, found)
    runs = []
    for kind, one in everything:
        if kind is kinds.WORKER_POOL or one["metadata"]["namespace"] != told["namespace"]:
            continue
        its = state.summary(kind, one)
        if its["pool"] == told["name"] and not its["finished"]:
            runs.append({"name": kinds.label(kind, one), "running": its["running"] or 0, "queued": its["queued"] or 0,
                         "reason": its["reason"], "waitingSince": _since(one)})
    runs.sort(key=lambda one: (-one["running"], -one["queued"], one["name"]))
    waits = [one["waitingSince"] for one in runs if one["waitingSince"]]
    return {"namespace": told["namespace"], "name": told["name"], "reason": told["reason"], "message": told["message"],
            "slots": told["slots"], "busySlots": told["busySlots"], "replicas": told["replicas"],
            "readyReplicas": told["readyReplicas"], "queued": sum(one["queued"] for one in runs),
            "stalledSince": min(waits) if waits else None, "runs": runs}


def _since(found):
    """Since when a run has waited for workers; None where it does not."""
    finished = kinds.condition(found, "Finished")
    return finished.get("lastTransitionTime") if finished.get("reason") == "WaitingForWorkers" else None


def _row(pool):
    since = times.parsed(pool["stalledSince"])
    runs = [f"{one['name']} {one['running']}" for one in pool["runs"][:_SHOWN]]
    more = len(pool["runs"]) - _SHOWN
    return (pool["name"], f"{pool['readyReplicas']}/{pool['replicas']}", f"{pool['busySlots']}/{pool['slots']}", pool["queued"],
            times.span((times.now() - since).total_seconds()) if since else "", pool["reason"],
            ", ".join(runs) + (f" and {more} more" if more > 0 else ""))
