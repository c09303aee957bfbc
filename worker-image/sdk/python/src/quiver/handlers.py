"""Which functions this process serves, and under which names."""

import inspect
import unicodedata

from quiver.errors import NotServed

MOST_HANDLERS = 64
MOST_NAME_BYTES = 128

_registered = {}


class Handler:
    """A function with a name, and how it wants its input."""

    def __init__(self, name, function, arrow, trusted):
        self.name = name
        self.function = function
        self.arrow = arrow
        self.trusted = trusted
        self.wants_task = _takes_two(function)

    def call(self, value, task):
        return self.function(value, task) if self.wants_task else self.function(value)


def handler(name, *, arrow="table", trusted=False):
    """Decorator: serves `f(input)` or `f(input, task)` under this name. The function itself is unchanged.

    arrow="reader" gives Arrow input as a pyarrow.RecordBatchReader instead of a Table, arrow="batch" as the one
    RecordBatch that the stream must have. trusted=True leaves out the validation of Arrow input: only for producers that
    are known to write correct streams.
    """
    size = len(name.encode())
    if not 1 <= size <= MOST_NAME_BYTES:
        raise ValueError(f"a handler's name has 1 to {MOST_NAME_BYTES} bytes, {name!r} has {size}")
    if any(unicodedata.category(c) == "Cc" for c in name):
        raise ValueError(f"a handler's name has no control characters: {name!r}")
    if arrow not in ("table", "batch", "reader"):
        raise ValueError(f"arrow is 'table', 'batch' or 'reader', not {arrow!r}")

    def register(function):
        if name in _registered and _registered[name].function is not function:
            raise ValueError(f"two functions want the name {name!r}")
        if name not in _registered and len(_registered) == MOST_HANDLERS:
            raise ValueError(f"a process serves at most {MOST_HANDLERS} handlers")
        _registered[name] = Handler(name, function, arrow, trusted)
        return function

    return register


def names():
    """The names served, in the order of their registration."""
    return list(_registered)


def find(name):
    """The handler of this name. Raises NotServed, with the names that are served."""
    try:
        return _registered[name]
    except KeyError:
        served = ", ".join(_registered) or "none"
        raise NotServed(f"no handler {name!r} here; served are: {served}") from None


def _takes_two(function):
    """Whether the second argument is the task: it has that name, or no default."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except ValueError:  # a builtin that does not tell
        return False
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(positional) > 1 and (positional[1].name == "task" or positional[1].default is inspect.Parameter.empty)
