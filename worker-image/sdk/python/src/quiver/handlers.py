"""Which functions this process serves, and under which names."""

import unicodedata

from quiver import outputs
from quiver.errors import NotServed
from quiver.signatures import Signature

MOST_HANDLERS = 64
MOST_NAME_BYTES = 128
PLAN = "#plan"  # behind the name of a function: that of its plan
CONTINGENCY = "#contingency"  # that of its contingency

_registered = {}
_found = {}  # by the bytes of their names


class Handler:
    """A function with a name, and how it wants its input."""

    def __init__(self, name, function, batch, arrow, trusted):
        self.name = name
        self.function = function
        self.batch = batch
        self.arrow = arrow
        self.trusted = trusted
        signature = Signature(function)
        self.call, self.wants_task = signature.of_value()  # with an input and the task; or with those of several tasks
        self.call_with = signature.of_arguments(name)  # with a list of arguments and the task
        self.encode = outputs.encode  # what it returns


def handler(name, *, batch=False, arrow="table", trusted=False):
    """Decorator: serves `f(input)` or `f(input, task)` under this name. The function itself is unchanged.

    A Task has arguments instead of one input: it calls `f(*args)` or `f(*args, task)`, so a call with one argument is
    that of a TaskSet with this input. The task goes to a parameter with the name task: the second one, the last one, or
    one that is given by keyword alone. Where one value comes, a second parameter without a default is the task by any
    name. A call that does not fit fails as InputInvalid.

    batch=True serves `f(inputs)` or `f(inputs, tasks)`: the function gets the tasks of a whole dispatch, as lists, and
    returns a list with an outcome for each, in their order: a value as any function returns it, or an exception, which is
    the failure of that task alone. batch="table" gives one pyarrow.Table instead of the list, a row for each task, from
    JSON objects or Arrow streams of one row; the function may return a Table, RecordBatch or array of as many rows, whose
    rows become JSON. An exception that the function raises is nobody's in particular: the worker runs each of the tasks
    again, alone. A dispatch has 1 to 64 tasks. Of a task with one argument the element, or the row, is that argument; of
    any other number the element is the list of them, and there is no row.

    arrow="reader" gives Arrow input as a pyarrow.RecordBatchReader instead of a Table, arrow="batch" as the one
    RecordBatch that the stream must have. trusted=True leaves out the validation of Arrow input: only for producers that
    are known to write correct streams.

    A function returns quiver.Done in place of a result that has tasks with it. quiver.plan() serves its plan, and
    quiver.contingency() what is asked where a trial did not pass. The name has at most 128 bytes, 123 with a plan and 116
    with a contingency, and ends neither in #plan nor in #contingency.
    """
    check_name(name)
    if arrow not in ("table", "batch", "reader"):
        raise ValueError(f"arrow is 'table', 'batch' or 'reader', not {arrow!r}")
    if batch not in (False, True, "table"):
        raise ValueError(f"batch is False, True or 'table', not {batch!r}")

    def register(function):
        add(Handler(name, function, batch, arrow, trusted))
        return function

    return register


def check_name(name):
    """Raises TypeError for what is no text; ValueError for one that cannot be announced, or that a plan or a contingency has."""
    if not isinstance(name, str):
        raise TypeError(f"a handler's name is a text, not {name!r:.200}")
    size = len(name.encode())
    if not 1 <= size <= MOST_NAME_BYTES:
        raise ValueError(f"a handler's name has 1 to {MOST_NAME_BYTES} bytes, {name!r} has {size}")
    for ending, whose in ((PLAN, "plans"), (CONTINGENCY, "contingencies")):
        if name.endswith(ending):
            raise ValueError(f"a handler's name does not end in {ending!r}, which is for {whose}: {name!r}")
    if any(unicodedata.category(c) == "Cc" for c in name):
        raise ValueError(f"a handler's name has no control characters: {name!r}")


def add(handler):
    """Serves it from now on."""
    name = handler.name
    if name in _registered and _registered[name].function is not handler.function:
        raise ValueError(f"two functions want the name {name!r}")
    if name not in _registered and len(_registered) == MOST_HANDLERS:
        raise ValueError(f"a process serves at most {MOST_HANDLERS} handlers, and each plan and contingency is one")
    _registered[name] = handler


def names():
    """The names served, in the order of their registration."""
    return list(_registered)


def registered():
    """The handlers by their names, in the order of their registration."""
    return dict(_registered)


def takes_batches(name):
    """Whether the handler of this name, as bytes, is there and takes several tasks in a call."""
    handler = _found.get(name)
    if handler is None:
        handler = _registered.get(name.decode(errors="replace"))
    return handler is not None and handler.batch


def find(name):
    """The handler of this name, as bytes of UTF-8. Raises NotServed, with the names that are served."""
    handler = _found.get(name)
    if handler is None:
        text = name.decode(errors="replace")
        if text not in _registered:
            served = ", ".join(_registered) or "none"
            raise NotServed(f"no handler {text!r} here; served are: {served}")
        handler = _found[name] = _registered[text]
    return handler

