"""What an answer of a complex task changes: operations on the fields of its state, and markers of what is to be done."""

import re
from dataclasses import dataclass
from typing import Any

from quiver import nodes
from quiver.errors import DoNotRetry
from quiver.texts import json_bytes

MOST_CHANGES = 1024
MOST_MARKERS = 64  # and so many tasks of them
MOST_BYTES = 64 * 1024  # of all of it as JSON
MOST_WRITTEN = 128 * 1024  # of what its tasks say: each has the marker
UNSAID = object()  # no value is expected
_NAME = re.compile("[!-~]{1,128}")
_OF_MARKER = {"args", "count", "parallel", "relPriority", "tags", "resources", "fairnessKey", "maxTrials", "backoff",
              "activeDeadlineSeconds", "contingency", "name"}


@dataclass(frozen=True)
class Change:
    """One operation on a field; quiver.set, quiver.delete and quiver.add make it."""

    kind: str  #: "set", "delete" or "add"
    field: str  #: 1 to 128 printable characters of ASCII without blanks
    value: Any = None  #: a JSON value; of "add" a number; of "delete" none
    expect: Any = UNSAID  #: the value that the field must have, None for a field that is not there

    def __post_init__(self):
        if self.kind not in ("set", "delete", "add"):
            raise ValueError(f"a change is {self.kind!r:.80}, 'set', 'delete' or 'add' is needed")
        check_name("state", self.field)
        is_number = isinstance(self.value, (int, float)) and not isinstance(self.value, bool)
        if self.kind == "add" and not is_number:
            raise TypeError(f"add: the value for {self.field!r} is {self.value!r:.80}, a number is needed")
        self._check("the value", self.value)
        if self.expect is not UNSAID:
            self._check("expect", self.expect)

    def _check(self, what, value):
        """Raises TypeError or ValueError with the field for what JSON cannot say."""
        words = f"{self.kind}: {what} for {self.field!r} is {value!r:.80}, which JSON cannot say"
        try:
            json_bytes(value)
        except TypeError as error:
            raise TypeError(f"{words}: {error}") from None
        except ValueError as error:
            raise ValueError(f"{words}: {error}") from None
        except RecursionError:
            raise ValueError(f"{words}: it is nested too deeply") from None

    def json(self):
        """As an answer has it."""
        said = {self.kind: self.field}
        if self.kind != "delete":
            said["value"] = self.value
        if self.expect is not UNSAID:
            said["expect"] = self.expect
        return said


def set_field(field, value, *, expect=UNSAID):
    """The field has this JSON value from now on. With expect, it must have that one before: see quiver.complex."""
    return Change("set", field, value, expect)


def delete(field, *, expect=UNSAID):
    """The field is no more. With expect, it must have that value before."""
    return Change("delete", field, None, expect)


def add(field, number, *, expect=UNSAID):
    """The field, which is a number or is not there, is so much more. With expect, it must have that value before."""
    return Change("add", field, number, expect)


def marker(*args, count=1, parallel=False, rel_priority=None, tags=None, resources=None, fairness_key=None, max_trials=None,
           backoff=None, active_deadline_seconds=None, contingency=None, name=None):
    """What is to be done: `count` tasks, 1 to 64, call the complex task's execute with it.

    parallel=True lets them run beside others of their key, and its plans. Without it they take turns, and have at most 7
    resources of their own. contingency=True asks the complex task's contingency where one may have done it and did not
    pass. The rest is as of quiver.call.
    """
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_MARKERS:
        raise ValueError(f"marker: count is {count!r}, 1 to {MOST_MARKERS} is allowed")
    said = nodes.call("marker", *args, name=name, max_trials=max_trials, backoff=backoff, contingency=contingency,
                      active_deadline_seconds=active_deadline_seconds, rel_priority=rel_priority, tags=tags,
                      fairness_key=fairness_key, resources=resources)
    del said["handler"]
    if count > 1:
        said["count"] = count
    if parallel:
        said["parallel"] = True
    return said


def check_name(what, name):
    """Raises TypeError or ValueError for what is no name of a field or a marker."""
    if not isinstance(name, str):
        raise TypeError(f"{what} has the name {name!r:.80}, a text is needed")
    if not _NAME.fullmatch(name):
        raise ValueError(f"{what} has the name {name!r:.80}, 1 to 128 printable characters of ASCII without blanks are allowed")


def members(changes, markers):
    """The members of an answer with these, as pairs of name and JSON. Errors are as of quiver.Done."""
    found = []
    if changes:
        _check_fields(changes)
        found.append(("state", json_bytes([change.json() for change in changes])))
    if markers:
        tasks = sum(_check_marker(name, said) for name, said in markers.items())
        if len(markers) > MOST_MARKERS or tasks > MOST_MARKERS:
            raise DoNotRetry(f"Done: markers has {len(markers)} names and {tasks} tasks of them, at most {MOST_MARKERS} are taken")
        found.append(("markers", json_bytes(markers)))
        size = sum(len(json_bytes(said)) * said.get("count", 1) for said in markers.values() if said)
        if size > MOST_WRITTEN:
            raise DoNotRetry(f"Done: the tasks of markers have {size} bytes of JSON, at most {MOST_WRITTEN} are taken")
    size = sum(len(data) for _, data in found)
    if size > MOST_BYTES:
        raise DoNotRetry(f"Done: state and markers have {size} bytes of JSON, at most {MOST_BYTES} are taken")
    return found


def _check_fields(changes):
    if len(changes) > MOST_CHANGES:
        raise DoNotRetry(f"Done: state has {len(changes)} changes, at most {MOST_CHANGES} are taken")
    seen = {}
    for change in changes:
        if not isinstance(change, Change):
            raise TypeError(f"Done: state has {change!r:.80}: quiver.set, quiver.delete and quiver.add make a change")
        if change.field in seen:
            raise ValueError(f"Done: state has {change.field!r} twice, each field is changed once")
        seen[change.field] = change


def _check_marker(name, said):
    """How many tasks it makes. It is checked as a client's task is, so that the worker will take it."""
    from quiver.clients.trees import Node, Tree  # with the first function that has markers

    check_name("markers", name)
    if said is None:
        return 0
    if not isinstance(said, dict) or not _OF_MARKER.issuperset(said):
        raise TypeError(f"Done: markers has {name!r} with {said!r:.80}: quiver.marker makes one, and None withdraws it")
    count, parallel = said.get("count", 1), said.get("parallel", False)
    if isinstance(count, bool) or not isinstance(count, int) or not 1 <= count <= MOST_MARKERS:
        raise ValueError(f"Done: markers has {name!r} with count {count!r:.80}, 1 to {MOST_MARKERS} is allowed")
    if not isinstance(parallel, bool):
        raise TypeError(f"Done: markers has {name!r} with parallel {parallel!r:.80}, True or False is allowed")
    task = {field: value for field, value in said.items() if field not in ("count", "parallel")}
    try:
        Tree("m", Node({"handler": "marker", **task}, "p"))
    except TypeError as error:
        raise TypeError(f"Done: markers has {name!r}: {error}") from None
    except ValueError as error:
        raise ValueError(f"Done: markers has {name!r}: {error}") from None
    most = 8 if parallel else 7
    if len(said.get("resources") or ()) > most:
        raise ValueError(f"Done: markers has {name!r} with {len(said['resources'])} resources, at most {most} are allowed")
    return count
