"""Undoes a Task with undo: true, once: makes a Task with undoOf, which runs what the plans of the other left for that.

  kubectl quiver undo save-draft --wait

It waits for the end of a Task that runs, and cancels one that has not begun. Once more makes nothing, and names the Task that
was made first. That one can be undone in turn.

Exit codes with --wait: 0 it is undone, 1 a part is not, 2 cancelled, deleted or past its deadline, 3 refused, 124 --timeout.
"""

import time

from quiver.cli import following, kinds, program, state, text, times
from quiver.cli.errors import DONE, ApiError, CliError

_LONGEST = 58  # characters of the name that a made one begins with: a Task's has 63


def arguments(parser):
    parser.add_argument("task", metavar="[qtask/]NAME")
    parser.add_argument("--name", metavar="NEW", help="name of the Task that undoes it; without it, NAME-undo")
    parser.add_argument("--wait", action="store_true", help="follow it to its end")
    parser.add_argument("--timeout", metavar="TIME", help="with --wait: 90s, 15m, 2h; without it, however long it takes")
    program.output(parser, "name")


def run(parsed):
    if parsed.timeout is not None and not parsed.wait:
        raise CliError("--timeout needs --wait")
    deadline = None if parsed.timeout is None else time.monotonic() + times.duration(parsed.timeout)
    api = program.api(parsed)
    kind, found = kinds.find(api, parsed.task, (kinds.TASK,))
    if not found["spec"].get("undo"):
        raise CliError(f"{kinds.label(kind, found)} has no spec.undo: true, so nothing is kept that would undo it")
    undo, made = _undo(api, kind, found, parsed.name)
    if parsed.output == "name":
        text.line(kinds.label(kind, undo))
    elif parsed.output == "text":
        text.line(_words(kind, found, undo, made))
    code, last = following.follow(api, kind, undo, deadline, parsed.output != "text") if parsed.wait else (DONE, undo)
    if parsed.output == "json":
        told = {"exitCode": code} if parsed.wait else {}
        text.document(told | {"made": made, "run": last and state.summary(kind, last)})
    elif parsed.wait and parsed.output == "text" and last is not None:
        following.last_words(kind, last)
    return code


def _undo(api, kind, found, new):
    """The Task that undoes the other, and whether it was made just now."""
    name = found["metadata"]["name"]
    by = ((found.get("status") or {}).get("undo") or {}).get("by")
    if by:
        try:
            return api.get(kind.path(api.access.namespace, by)), False
        except ApiError as error:
            if error.status != 404:
                raise
            raise CliError(f"{kinds.label(kind, found)} was undone by {kind.short}/{by}, which is gone: that is done once") from None
    metadata = {"name": new or f"{name[:_LONGEST]}-undo"}
    spec = {"workerPoolRef": found["spec"]["workerPoolRef"], "undoOf": name, "undo": True}
    body = {"apiVersion": found["apiVersion"], "kind": found["kind"], "metadata": metadata, "spec": spec}
    try:
        return api.ask("POST", kind.path(api.access.namespace), body), True
    except ApiError as error:
        if error.reason != "AlreadyExists":
            raise
    there = api.get(kind.path(api.access.namespace, metadata["name"]))
    earlier = there["metadata"].get("creationTimestamp", "") < found["metadata"].get("creationTimestamp", "")
    if there["spec"].get("undoOf") != name or earlier:  # that of an earlier Task of this name undoes nothing of this one
        raise CliError(f"{kinds.label(kind, there)} is there and undoes no {kinds.label(kind, found)}: --name names another")
    return there, False


def _words(kind, found, undo, made):
    one, other = kinds.label(kind, undo), kinds.label(kind, found)
    if not made:
        done = kinds.condition(undo, "Succeeded").get("status") == "True"
        return f"{other} is undone already, by {one}" if done else f"{one} undoes {other} already"
    over = kinds.condition(found, "Finished").get("status") == "True"
    return f"{one} made: it undoes {other}" + ("" if over else ", once that has ended or at once where it has not begun")
