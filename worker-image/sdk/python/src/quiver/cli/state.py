"""What an object's status says, in one form for all kinds."""

from quiver.cli import times
from quiver.cli.kinds import MAP_REDUCE_JOB, TASK, TASK_SET, WORKER_POOL, condition


def summary(kind, found):
    """An object as a dict for people's tables and for JSON. What its status does not tell is None."""
    status = found.get("status") or {}
    finished = condition(found, "Ready" if kind is WORKER_POOL else "Finished")
    told = {
        "kind": kind.kind,
        "namespace": found["metadata"].get("namespace"),
        "name": found["metadata"]["name"],
        "finished": finished.get("status") == "True" if kind is not WORKER_POOL else None,
        "succeeded": condition(found, "Succeeded").get("status") == "True" if kind is not WORKER_POOL else None,
        "reason": finished.get("reason") or "NotAccepted",
        "message": finished.get("message") or "",
        "startTime": status.get("startTime"),
        "completionTime": status.get("completionTime"),
        "percent": status.get("percent"),
        "progress": status.get("progress"),
        "eta": status.get("eta"),
        "estimatedCompletionTime": status.get("estimatedCompletionTime"),
        "pool": pool(kind, found),
    }
    told.update({TASK_SET: _task_set, TASK: _task, MAP_REDUCE_JOB: _job, WORKER_POOL: _pool}[kind](status))
    told["ratePerSecond"] = _rate(told)
    return told


def pool(kind, found):
    """The name of the pool that works for an object; None where it has none yet."""
    if kind is WORKER_POOL:
        return found["metadata"]["name"]
    reference = (found.get("spec") or {}).get("workerPoolRef") or {}
    return (found.get("status") or {}).get("workerPoolName") or reference.get("name")


def failures(kind, found):
    """The sample of failed trials, the first error last where it is not among them."""
    status = found.get("status") or {}
    sample = [{"task": one.get("task"), "trial": one.get("trial"), "exitCode": one.get("exitCode"),
               "signal": one.get("signal"), "reason": one.get("reason"), "message": one.get("message") or ""}
              for one in status.get("failures") or ()]
    error = status.get("error")
    if error:
        sample.append({"task": error.get("node"), "trial": error.get("trial"), "exitCode": None, "signal": None,
                       "reason": error.get("reason"), "message": error.get("message") or ""})
    return sample


def _task_set(status):
    return _counts(status.get("total"), status.get("queued"), status.get("running"), status.get("succeeded"),
                   status.get("failed")) | {"workers": status.get("workers")}


def _task(status):
    nodes = status.get("nodes") or {}
    if not nodes:
        return _counts(None, None, None, None, None)
    # Each number may be left out where it is 0.
    total = sum(nodes.get(name, 0) for name in ("waiting", "idle", "startable", "locked", "restart", "finished"))
    failed = nodes.get("failed", 0)
    return _counts(total, nodes.get("startable", 0) + nodes.get("restart", 0), nodes.get("locked", 0),
                   nodes.get("finished", 0) - failed, failed)


def _job(status):
    chunks = status.get("chunks") or {}
    if not chunks:
        return _counts(None, None, None, None, None)
    return _counts(chunks.get("total", 0), chunks.get("pending", 0) + chunks.get("errored", 0), chunks.get("active", 0),
                   chunks.get("done", 0), chunks.get("skipped", 0))


def _pool(status):
    return {"slots": status.get("slots", 0), "busySlots": status.get("busySlots", 0),
            "replicas": status.get("replicas", 0), "readyReplicas": status.get("readyReplicas", 0),
            "drainingReplicas": status.get("drainingReplicas", 0)}


def _counts(total, queued, running, succeeded, failed):
    return {"total": total, "queued": queued, "running": running, "succeededTasks": succeeded, "failedTasks": failed}


def _rate(told):
    """Ended tasks a second since the start; None where nothing has ended, or no time has passed."""
    start, end = times.parsed(told["startTime"]), times.parsed(told["completionTime"]) or times.now()
    ended = (told.get("succeededTasks") or 0) + (told.get("failedTasks") or 0)
    if not start or not ended or (end - start).total_seconds() <= 0:
        return None
    return float(f"{ended / (end - start).total_seconds():.3g}")
