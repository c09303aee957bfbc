"""What a function returns beside its result, and what a plan returns. Both become JSON when they are made."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Optional

from quiver import changes, nodes
from quiver.errors import DoNotRetry
from quiver.texts import json_bytes

MOST_TASKS = 64
MOST_NODES = 200  # of all of them
MOST_BYTES = 64 * 1024  # of the JSON of the tasks, and of a plan's arguments
MOST_UNDO_BYTES = 16 * 1024
MOST_NAMES = 8
MOST_PRIORITY = 99_999
_NAME = re.compile("[!-~]{1,128}")


@dataclass(frozen=True)
class Done:
    """The end of a task with tasks that are created in the very step that records the result: all of it, or nothing.

    A function returns it in place of its result, also as an element of a batch. Returned by a plan it is the end of the
    task, and the function is not called. More tasks than are taken raise DoNotRetry, with both numbers; anything else that
    cannot be sent raises TypeError or ValueError, here and not later. All of it counts to the size of the output.
    """

    result: Any = None  #: a JSON value, None for no result; bytes, Arrow and locators are returned without Done
    tasks: Iterable = ()  #: at most 64 of quiver.call() and its like, 64 KiB of JSON; kept as a tuple
    undo: Iterable = ()  #: where a plan returns it: as of Plan
    state: Iterable = ()  #: of a complex task alone: quiver.set() and its like, a field once, at most 1,024; kept as a tuple
    markers: Optional[dict] = None  #: of a complex task alone: ids to quiver.marker(), or None to withdraw; at most 64 tasks
    _members: tuple = field(init=False, repr=False, compare=False)
    _changes: tuple = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        members = [] if self.result is None else [("result", _result(self.result))]
        tasks = _tasks_of("Done", "tasks", self.tasks, members)
        _set(self, tasks=tasks, undo=_tasks_of("Done", "undo", self.undo, members, MOST_UNDO_BYTES), _members=tuple(members))
        if isinstance(self.state, (str, bytes, dict)) or not isinstance(self.state, Iterable):
            raise TypeError(f"Done: state has {self.state!r:.80}, a list of changes is allowed")
        if self.markers is not None and not isinstance(self.markers, dict):
            raise TypeError(f"Done: markers has {self.markers!r:.80}, a dict is allowed")
        state = tuple(self.state)
        _set(self, state=state, _changes=tuple(changes.members(state, self.markers)))

    def json(self):
        """As a function's output. Raises TypeError for one that a plan, or a complex task, alone may return."""
        self._check_undo("a function changes nothing before it is executed")
        return _object(self._said(False))

    def json_of_execution(self):
        """As the output of a marker's execution. Raises TypeError for one that a plan alone may return."""
        self._check_undo("a function changes nothing before it is executed")
        return _object(self._said(True))

    def json_of_plan(self, complex=False):
        """As a plan's output. Raises TypeError for one that a complex task alone may return."""
        return _object((("done", b"true"), *self._said(complex)))

    def json_of_contingency(self, complex=False):
        """As a contingency's output. Errors are as of json()."""
        self._check_undo("a contingency changes nothing")
        return self.json_of_plan(complex)

    def _check_undo(self, why):
        if self.undo:
            raise TypeError(f"Done: undo is of a plan: {why}")

    def _said(self, complex):
        if self._changes and not complex:
            raise TypeError(f"Done: {self._changes[0][0]} is of a complex task: @quiver.complex makes one")
        return (*self._members, *self._changes)


@dataclass(frozen=True)
class Redo:
    """The answer of a contingency: the task was not done, and is tried again while it has trials."""

    def json_of_contingency(self, complex=False):
        """As a contingency's output, also of a complex task."""
        return _object((("redo", b"true"),))


@dataclass(frozen=True)
class Plan:
    """What a plan changes of its task before it is executed; None leaves a field as the task has it.

    Names have 1 to 128 printable characters of ASCII without blanks. Errors are as of Done.
    """

    rel_priority: Optional[int] = None  #: -99999 to 99999, higher ones go first
    tags: Optional[Iterable] = None  #: at most 8 names; kept as a tuple
    resources: Optional[Iterable] = None  #: at most 8 names that the pool declares; kept as a tuple
    fairness_key: Optional[str] = None  #: a name
    args: Optional[Iterable] = None  #: a list or tuple of JSON values: the function's arguments in place of the task's
    tasks: Iterable = ()  #: created in the step that records the plan; at most as many as of Done
    before: Iterable = ()  #: created likewise; the function is called when all of them have passed; as many as of Done
    undo: Iterable = ()  #: tasks that would undo what this plan changed, 16 KiB at most; kept where task.undo is true
    _members: tuple = field(init=False, repr=False, compare=False)

    def __post_init__(self):
        members = []
        if self.rel_priority is not None:
            members.append(("relPriority", _priority(self.rel_priority)))
        for word in ("tags", "resources"):
            if getattr(self, word) is not None:
                names = _names(word, getattr(self, word))
                members.append((word, json_bytes(names)))
                _set(self, **{word: names})
        if self.fairness_key is not None:
            members.append(("fairnessKey", json_bytes(_name("fairness_key", self.fairness_key))))
        if self.args is not None:
            members.append(("args", _args(self.args)))
            _set(self, args=tuple(self.args))
        tasks = _tasks_of("Plan", "tasks", self.tasks, members)
        before = _tasks_of("Plan", "before", self.before, members)
        undo = _tasks_of("Plan", "undo", self.undo, members, MOST_UNDO_BYTES)
        _set(self, tasks=tasks, before=before, undo=undo, _members=tuple(members))

    def json_of_plan(self):
        """As a plan's output."""
        return _object(self._members)


def _set(frozen, **fields):
    for name, value in fields.items():
        object.__setattr__(frozen, name, value)


def _object(members):
    return b"{%b}" % b",".join(b'"%b":%b' % (name.encode(), value) for name, value in members)


def _result(value):
    try:
        return json_bytes(value)
    except TypeError as error:
        raise TypeError(
            f"Done: result has {type(value).__name__}, and JSON alone is allowed: bytes, Arrow and locators have no tasks"
            f" beside them ({error})"
        ) from None
    except ValueError as error:
        raise ValueError(f"Done: result has {value!r:.80}, which JSON cannot say: {error}") from None


def _tasks_of(kind, word, tasks, members, most=MOST_BYTES):
    """The tasks as a tuple; with their JSON among the members if there are any."""
    if isinstance(tasks, (str, bytes, dict)) or not isinstance(tasks, Iterable):
        raise TypeError(f"{kind}: {word} has {tasks!r:.80}, a list of tasks is allowed")
    tasks = tuple(tasks)
    if len(tasks) > MOST_TASKS:
        raise DoNotRetry(f"{kind}: {word} has {len(tasks)} elements, at most {MOST_TASKS} are taken")
    if tasks:
        made = [_task(f"{kind}: {word}[{i}]", task) for i, task in enumerate(tasks)]
        count = sum(count for count, _ in made)
        if count > MOST_NODES:
            raise DoNotRetry(f"{kind}: {word} have {count} nodes, at most {MOST_NODES} are taken")
        data = b"[%b]" % b",".join(data for _, data in made)
        if len(data) > most:
            raise DoNotRetry(f"{kind}: {word} has {len(data)} bytes of JSON, at most {most} are taken")
        members.append((word, data))
    return tasks


def _task(where, task):
    """How many nodes it has, and its JSON. It is checked as a client's is, so that the worker will take it."""
    from quiver.clients.trees import Node, Tree  # with the first function that brings tasks
    from quiver.once import read

    try:
        data = json_bytes(nodes.check(task))
        once = task.get("once")
        root = Node({field: value for field, value in task.items() if field != "once"}, "p")
        return len(Tree("t", root, once=None if once is None else read(once)).rows), data
    except TypeError as error:
        raise TypeError(f"{where}: {error}") from None
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    except RecursionError:
        raise ValueError(f"{where} is nested too deeply") from None


def _priority(value):
    words = f"Plan: rel_priority has {value!r}, a whole number of -{MOST_PRIORITY} to {MOST_PRIORITY} is allowed"
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(words)
    if not -MOST_PRIORITY <= value <= MOST_PRIORITY:
        raise ValueError(words)
    return json_bytes(value)


def _names(field, names):
    if isinstance(names, (str, bytes)) or not isinstance(names, Iterable):
        raise TypeError(f"Plan: {field} has {names!r:.80}, a list of names is allowed")
    names = tuple(_name(field, name) for name in names)
    if len(names) > MOST_NAMES:
        raise ValueError(f"Plan: {field} has {len(names)} names, at most {MOST_NAMES} are allowed")
    return names


def _name(field, name):
    words = f"Plan: {field} has {name!r:.200}, 1 to 128 printable characters of ASCII without blanks are allowed"
    if not isinstance(name, str):
        raise TypeError(words)
    if not _NAME.fullmatch(name):
        raise ValueError(words)
    return name


def _args(args):
    if not isinstance(args, (list, tuple)):
        raise TypeError(f"Plan: args has {args!r:.80}, a list of JSON values is allowed")
    try:
        data = json_bytes(list(args))
        if len(data) > MOST_BYTES:
            raise DoNotRetry(f"Plan: args has {len(data)} bytes of JSON, at most {MOST_BYTES} are kept")
        return data
    except TypeError as error:
        raise TypeError(f"Plan: args has {args!r:.80}, a list of JSON values is allowed ({error})") from None
    except ValueError as error:
        raise ValueError(f"Plan: args has {args!r:.80}, which JSON cannot say: {error}") from None
