"""Pools by busy slots: how many slots, what waits for them, for how long nothing was given out, which runs hold them, and
the resources that Tasks wait for or hold."""

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
    blocked = any(pool["blocked"] is not None for pool in pools)
    text.table((*start, "POOL", "PODS", "BUSY", "QUEUED", *(("BLOCKED",) if blocked else ()), "STALLED", "STATE", "RUNS"),
               [((pool["namespace"],) if start else ()) + _row(pool, blocked) for pool in pools])
    resources = [((pool["namespace"],) if start else ()) + (pool["name"], *_resource(one))
                 for pool in pools for one in pool["resources"] if _matters(one)]
    if resources:
        print()
        text.table((*start, "POOL", "RESOURCE", "STATE", "SINCE", "WAITING", "USED", "BY"), resources)


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
            "stalledSince": min(waits) if waits else None, "runs": runs,
            "blocked": found.get("status", {}).get("blocked"), "resources": found.get("status", {}).get("resources", [])}


def _since(found):
    """Since when a run has waited for workers; None where it does not."""
    finished = kinds.condition(found, "Finished")
    return finished.get("lastTransitionTime") if finished.get("reason") == "WaitingForWorkers" else None


def _matters(resource):
    """Whether a resource is missing, waited for or held: the others are as they were declared."""
    return resource.get("state") == "Missing" or resource.get("waiting", 0) > 0 or resource.get("used", 0) > 0


def _resource(resource):
    since = times.parsed(resource.get("since"))
    permits, seconds = resource.get("permits"), resource.get("perSeconds")
    used = "" if permits is None else f"{resource.get('used', 0)}/{permits}" + (f" in {seconds} s" if seconds else "")
    by = resource.get("by") or ", ".join(resource.get("holders", []))
    return (resource.get("name"), resource.get("state"), times.span((times.now() - since).total_seconds()) if since else "",
            resource.get("waiting", 0), used, ": ".join(part for part in (by, resource.get("message")) if part))


def _row(pool, blocked):
    since = times.parsed(pool["stalledSince"])
    runs = [f"{one['name']} {one['running']}" for one in pool["runs"][:_SHOWN]]
    more = len(pool["runs"]) - _SHOWN
    return (pool["name"], f"{pool['readyReplicas']}/{pool['replicas']}", f"{pool['busySlots']}/{pool['slots']}", pool["queued"],
            *((pool["blocked"],) if blocked else ()),
            times.span((times.now() - since).total_seconds()) if since else "", pool["reason"],
            ", ".join(runs) + (f" and {more} more" if more > 0 else ""))
