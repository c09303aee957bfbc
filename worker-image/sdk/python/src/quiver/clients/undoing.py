"""The undo of a task, and the tree that undoes a composite, made of what its plans left."""

import json
import re

from quiver.clients.description import CODES, new_id
from quiver.clients.errors import StoreUnavailable, TaskGone
from quiver.clients.trees import Node, Tree, calls

KEPT = 3600  # seconds after its end, as single tasks stay that undo one
TURNS = 10  # another plan of a composite that waits may leave something between two calls
_REFERENCE = re.compile(r"\$\(results\.([^)]+)\)")


def undo(exchange, id, until):
    """A conversation: the ids of the tasks that were made."""
    reply = yield from exchange.call_undo((id,), until)
    for _ in range(TURNS):
        if reply.code != CODES["INCOMPLETE"]:
            break
        reply = yield from _bring(exchange, id, reply.words, until)
    if reply.code == CODES["INCOMPLETE"]:
        raise StoreUnavailable(f"the plans of task {id} go on leaving tasks that would undo it: try again")
    if reply.code == CODES["AGAIN"]:
        raise ValueError(f"task {id} runs, or is about to stop: it can be undone ten seconds after its end")
    if reply.code == CODES["NOTHING"]:
        raise ValueError(f"task {id} is no whole task of a program: a chain or a group is undone as a whole, and a Task"
                         " resource by another one")
    if not reply.ok:
        raise TaskGone(f"task {id} is gone: it was kept no longer, or a crash of Redis lost it")
    return reply["made"].decode().split()


def _bring(exchange, id, left, until):
    """The answer to the tree that is made of what is left, or to a piece of it that came too late."""
    reply = None
    for piece in calls([tree(left)]):
        reply = yield from exchange.call_undo((id, len(left.encode()), *piece.arguments), until)
        if not reply.ok or reply["made"]:
            break
    return reply


def tree(left):
    """The tasks of one plan stand side by side, and the plan that was made last comes first. A task that fails for good stops
    no other, since nobody can undo it again. ValueError for what no plan of ours left."""
    try:
        lists = [json.loads(line) for line in left.split("\n") if line]  # in the order of the plans, whatever clocks said
        groups = [_group(one, at) for at, one in enumerate(reversed(lists))]
        root = groups[0] if len(groups) == 1 else Node(_beside(groups, window=1), "", -1)
        return Tree(new_id(), root, keep=KEPT)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        raise ValueError(f"what would undo the task makes no sense: {error}") from None


def _group(one, at):
    tasks = []
    for place, task in enumerate(json.loads(one["tasks"])):
        undo = task.get("undo") is True
        node = Node(_among({field: value for field, value in task.items() if field != "undo"}, f".{at}.{place}"), one["pool"])
        if undo:
            node.leave_undo()
        tasks.append(node)
    said = _beside(tasks)
    if one.get("share"):
        said["fairnessKey"] = one["share"]
    return Node(said, "", 0)


def _beside(tasks, window=0):
    """A chain would give each of them the result of the one before it."""
    return {"group": tasks, "window": window, "onChildError": "Continue", "name": "undo"}


def _among(task, end):
    """The same in a tree with others: names that an argument refers to are to be its own."""
    return _renamed(task, end) if _refers(task) else task


def _children(task):
    return [*task.get("chain", ()), *task.get("group", ()), *([task["forEach"]] if "forEach" in task else ())]


def _refers(task):
    return any(isinstance(argument, str) and _REFERENCE.fullmatch(argument) for argument in task.get("args", ())) or any(
        map(_refers, _children(task)))


def _renamed(task, end):
    renamed = dict(task)
    for kind in ("chain", "group"):
        if kind in task:
            renamed[kind] = [_renamed(child, end) for child in task[kind]]
    if "forEach" in task:
        renamed["forEach"] = _renamed(task["forEach"], end)
    name = task.get("name") or task.get("handler") or ("command" if "command" in task else None)
    if name:
        renamed["name"] = name + end
    if "args" in task:
        renamed["args"] = [_REFERENCE.sub(lambda found: f"$(results.{found.group(1)}{end})", argument)
                           if isinstance(argument, str) and _REFERENCE.fullmatch(argument) else argument
                           for argument in task["args"]]
    return renamed
