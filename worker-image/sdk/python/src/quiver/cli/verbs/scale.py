"""Gives TaskSets or WorkerPools another number of worker pods. Pods that are too many finish their tasks first."""

from quiver.cli import changes, kinds
from quiver.cli.errors import CliError

_MOST = 2000


def arguments(parser):
    changes.arguments(parser, "TaskSets or WorkerPools")
    parser.add_argument("--replicas", type=int, required=True, metavar="N", help=f"worker pods, 0 to {_MOST:,}")


def run(parsed):
    if not 0 <= parsed.replicas <= _MOST:
        raise CliError(f"--replicas: {parsed.replicas} is not between 0 and {_MOST}")

    def scale(api, kind, namespace, name):
        api.ask("PATCH", kind.path(namespace, name, "scale"), {"spec": {"replicas": parsed.replicas}}, media=changes.MERGE)

    return changes.run(parsed, (kinds.TASK_SET, kinds.WORKER_POOL), "scale", f"scaled to {parsed.replicas}", scale)
