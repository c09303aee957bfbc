"""Why a run waits: from the run to its pool, from there to a pod, and from there to the scheduler."""

from quiver.cli.errors import ApiError
from quiver.cli.kinds import POOL_LABEL, WORKER_POOL, condition, label
from quiver.cli.state import pool, summary

_MOST_PODS = 500


def waits(api, kind, found):
    """The links of the chain, each a dict with of, reason and message; empty where the object does not wait."""
    told = summary(kind, found)
    if told["finished"] or (kind is WORKER_POOL and condition(found, "Ready").get("status") == "True"):
        return []
    chain = [{"of": label(kind, found), "reason": told["reason"], "message": told["message"]}]
    if told["reason"] in ("Suspended", "Postponed", "Scheduled"):
        return chain
    store = condition(found, "StoreReachable")
    if store.get("status") == "False":
        return [*chain, {"of": "store", "reason": store.get("reason", ""), "message": store.get("message", "")}]
    if kind is not WORKER_POOL:
        if told.get("running") or not _may_wait(told):
            return []
        handler = condition(found, "HandlerAvailable")
        if handler.get("status") == "False":
            return [*chain, {"of": "handler", "reason": handler.get("reason", ""), "message": handler.get("message", "")}]
    return chain + _below(api, kind, found)


def sentence(chain):
    """The chain in one sentence; what the text before quotes already is said once."""
    said = ""
    for at, link in enumerate(chain):
        message = " ".join((link["message"] or "").split()).rstrip(".")
        if message and message in said:
            continue
        words = f"{link['of']} is {link['reason']}" if at == 0 else f"{link['of']}: {link['reason']}"
        said += ("" if at == 0 else ", since ") + words + (f" ({message})" if message else "")
    return said + "." if said else ""


def _may_wait(told):
    return told["reason"] not in ("Running",) or bool(told.get("queued"))


def _below(api, kind, found):
    """Pool, pod and scheduler, as far as the caller may see them."""
    name, namespace = pool(kind, found), found["metadata"].get("namespace")
    if not name:
        return []
    try:
        its = found if kind is WORKER_POOL else api.get(WORKER_POOL.path(namespace, name))
        ready = condition(its, "Ready")
        if ready.get("status") == "True":
            return _full(its) if kind is not WORKER_POOL else []
        chain = [] if kind is WORKER_POOL else [
            {"of": label(WORKER_POOL, its), "reason": ready.get("reason", "NotReady"), "message": ready.get("message", "")}]
        pods = api.get(f"/api/v1/namespaces/{namespace}/pods", labelSelector=f"{POOL_LABEL}={name}", limit=_MOST_PODS)
    except ApiError as error:
        if error.status in (403, 404):
            return [{"of": f"pool {name}", "reason": error.reason, "message": str(error)}]
        raise
    return chain + next(filter(None, map(_trouble, pods.get("items") or ())), [])


def _full(its):
    status = its.get("status") or {}
    slots, busy = status.get("slots", 0), status.get("busySlots", 0)
    if slots and busy >= slots:
        return [{"of": label(WORKER_POOL, its), "reason": "SlotsBusy", "message": f"all {slots} slots run other tasks"}]
    return []


def _trouble(pod):
    """Why a pod is not ready; empty where it is."""
    of = f"pod/{pod['metadata']['name']}"
    scheduled = condition(pod, "PodScheduled")
    if scheduled.get("status") == "False":
        return [{"of": of, "reason": "Pending", "message": ""},
                {"of": "scheduler", "reason": scheduled.get("reason", ""), "message": scheduled.get("message", "")}]
    status = pod.get("status") or {}
    for container in (*(status.get("initContainerStatuses") or ()), *(status.get("containerStatuses") or ())):
        waiting = (container.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") not in (None, "PodInitializing"):
            return [{"of": f"{of} container {container.get('name')}", "reason": waiting["reason"],
                     "message": waiting.get("message", "")}]
    return []
