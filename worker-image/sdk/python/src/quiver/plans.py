"""Functions that are asked about a task before it is executed."""

from quiver import handlers, iterators, outputs
from quiver.effects import Done, Plan
from quiver.errors import ProtocolError

MOST_NAME_BYTES = handlers.MOST_NAME_BYTES - len(handlers.PLAN)


def plan(name):
    """Decorator: the plan of the handler with this name, best beside it. The function itself is unchanged.

        @quiver.plan("save-draft")
        def plan(draft, task):
            return quiver.Plan(tags=["send"], resources=["online"], args=[draft, 7])

    A Task's call with `plan: true` asks it first, with the input that the function gets; planSeconds is what it may take, 1
    to 60 s. It is called as the function would be, `f(*args)` or `f(*args, task)`, and reads Arrow in the same way. That of a
    function with batch=True gets one task.

    It returns a Plan with what it changes, None for no change, or Done: the task has ended with that result, and there is
    nothing to execute. Anything else is a TypeError. A plan may be asked more than once, and only its last answer counts.
    What it raises is told with the reason that it has in a function.

    The name has at most 123 bytes: it is announced a second time, with #plan behind it, and both count as handlers.
    """
    handlers.check_name(name)
    if len(name.encode()) > MOST_NAME_BYTES:
        raise ValueError(
            f"the name of a handler with a plan has at most {MOST_NAME_BYTES} bytes, {name!r} has {len(name.encode())}"
        )

    def register(function):
        handlers.add(Planner(name, function))
        return function

    return register


def join():
    """Gives each plan what its function says of the input. Raises ProtocolError for one without a function."""
    served = handlers.registered()
    for planner in served.values():
        if isinstance(planner, Planner):
            function = served.get(planner.of)
            if function is None or isinstance(function, iterators.Iterator):
                has = "is an iterator" if function else "is missing"
                raise ProtocolError(f"@quiver.plan({planner.of!r}) is for a function that has @quiver.handler: it {has}")
            planner.arrow, planner.trusted = function.arrow, function.trusted


class Planner(handlers.Handler):
    """Among the handlers: what it returns is always effects."""

    def __init__(self, name, function):
        super().__init__(name + handlers.PLAN, function, batch=False, arrow="table", trusted=False)
        self.of = name
        self.encode = self._encoded

    def _encoded(self, value):
        if value is None:
            value = Plan()
        if not isinstance(value, (Plan, Done)):
            raise TypeError(
                f"the plan of {self.of!r} returned {type(value).__name__}: it returns a quiver.Plan, a quiver.Done, or None"
            )
        return outputs.of_effects(value.json_of_plan())
