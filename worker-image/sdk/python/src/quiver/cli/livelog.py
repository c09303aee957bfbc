"""The lines of one task in the log of its pod, where each line begins with the name of its task."""

import sys
import time
from urllib.parse import quote

from quiver.cli import text
from quiver.cli.errors import CliError
from quiver.history import NotFound

_LOOK_SECONDS = 2
_SILENCE_SECONDS = 5  # of the pod, until the roster is asked again
_BEFORE_SECONDS = 3600  # lines of a task that has run for longer begin there


def follow(api, history, run, task, name):
    """Prints what a task prints until no worker has it any more, and waits for its begin where none has it yet."""
    namespace, seen = api.access.namespace, False
    while True:
        holder = _holder(history, namespace, run, task)
        if holder is not None:
            pod, name = holder
            _lines(api, history, run, task, pod, name)
            return
        if _ended(history, namespace, run, task):
            return
        if not seen:
            text.note(f"task {name or task} waits for a slot")
            seen = True
        time.sleep(_LOOK_SECONDS)


def line(raw):
    """Prints one line of a program: to a terminal cleaned, to a program as it is."""
    if sys.stdout.isatty():
        print(text.printable(raw.decode("utf-8", "replace").replace("\t", "        ")))
    else:
        sys.stdout.flush()
        sys.stdout.buffer.write(raw + b"\n")


def _holder(history, namespace, run, task):
    """Pod and name of a task that a worker has now."""
    for worker in history.roster(namespace, run):
        for one in worker["tasks"]:
            if one["task"] == task and worker.get("pod"):
                return worker["pod"], one.get("name") or str(task)
    return None


def _ended(history, namespace, run, task):
    if history.run(namespace, run).get("status"):
        return True
    try:
        return bool(history.task_trials(namespace, run, task))
    except NotFound:
        return False


def _lines(api, history, run, task, pod, name):
    path = f"/api/v1/namespaces/{quote(api.access.namespace)}/pods/{quote(pod)}/log"
    mark, since = f"[{name}] ".encode(), _BEFORE_SECONDS
    while True:
        began = time.monotonic()
        for raw in api.lines(path, {"container": "worker", "follow": "true", "sinceSeconds": since}, _SILENCE_SECONDS):
            if raw.startswith(mark):
                line(raw[len(mark):].rstrip(b"\r\n"))
                sys.stdout.flush()
        holder = _holder(history, api.access.namespace, run, task)
        if holder is None or holder[0] != pod:
            return
        since = max(1, int(time.monotonic() - began))
        if time.monotonic() - began < 1:
            raise CliError(f"the log of pod {pod} ends though its task goes on")
