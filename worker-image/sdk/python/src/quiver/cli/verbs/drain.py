"""Replaces a worker pod: it takes no new task, its running tasks end within its grace, and the pool makes another one."""

from urllib.parse import quote

from quiver.cli import kinds, program, text
from quiver.cli.errors import CliError


def arguments(parser):
    parser.add_argument("pod", metavar="POD", help="a pod of a WorkerPool")


def run(parsed):
    api = program.api(parsed)
    name = parsed.pod[4:] if parsed.pod.startswith("pod/") else parsed.pod
    path = f"/api/v1/namespaces/{quote(api.access.namespace)}/pods/{quote(name, safe='')}"
    found = api.get(path)
    pool = (found["metadata"].get("labels") or {}).get(kinds.POOL_LABEL)
    if not pool:
        raise CliError(f"pod {name} belongs to no WorkerPool: kubectl delete pod is for others")
    if found["metadata"].get("deletionTimestamp"):
        text.line(f"pod/{name} drains already")
        return
    # Only this pod, and not one that came in its place meanwhile.
    api.ask("DELETE", path, {"apiVersion": "v1", "kind": "DeleteOptions", "preconditions": {"uid": found["metadata"]["uid"]}})
    grace = (found.get("spec") or {}).get("terminationGracePeriodSeconds")
    text.line(f"pod/{name} drains: its tasks have {grace} s to end, and pool {pool} makes another pod")
