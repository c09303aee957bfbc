"""Functions that are asked about a task beside the one that executes it: before it, and where a trial of it did not pass."""

from quiver import handlers, iterators, outputs
from quiver.effects import Done, Plan, Redo
from quiver.errors import ProtocolError


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
    return _beside(Planner, name)


def contingency(name):
    """Decorator: the contingency of the handler with this name, best beside it. The function itself is unchanged.

        @quiver.contingency("send")
        def was_sent(mail, task):
            return quiver.Done({"sent": mail["id"]}) if outbox.has(mail["id"]) else quiver.Redo()

    It is for a function that does something outside which nobody can do twice. A call with `contingency: true` that may
    have done it and did not pass is in doubt: it raised, ran out of time, was broken off, or lost its worker. Then the
    contingency is asked, with the same input, and no trial follows before its answer. A function that raises DoNotRetry,
    InputInvalid, RetryAfter or Blocked says that nothing was done, and leaves no doubt.

    It returns Redo where the task was not done: it is tried again while it has trials. Done says that it was, and the task
    has ended with that result. Anything else is a TypeError. It may be asked more than once. It has three trials of its own;
    after them, or where it raises DoNotRetry, the task has failed with reason InDoubt.

    The name has at most 116 bytes: it is announced a second time, with #contingency behind it, and both count as handlers.
    """
    return _beside(Contingency, name)


def _beside(kind, name):
    handlers.check_name(name)
    most = handlers.MOST_NAME_BYTES - len(kind.ending)
    if len(name.encode()) > most:
        raise ValueError(
            f"the name of a handler with a {kind.word} has at most {most} bytes, {name!r} has {len(name.encode())}"
        )

    def register(function):
        handlers.add(kind(name, function))
        return function

    return register


def join():
    """Gives each plan and contingency what its function says of the input. Raises ProtocolError for one without a function."""
    served = handlers.registered()
    for asked in served.values():
        if isinstance(asked, _Beside):
            function = served.get(asked.of)
            if function is None or isinstance(function, iterators.Iterator):
                has = "is an iterator" if function else "is missing"
                raise ProtocolError(f"@quiver.{asked.word}({asked.of!r}) is for a function that has @quiver.handler: it {has}")
            asked.arrow, asked.trusted = function.arrow, function.trusted


class _Beside(handlers.Handler):
    """Among the handlers: what it returns is always effects."""

    def __init__(self, name, function):
        super().__init__(name + self.ending, function, batch=False, arrow="table", trusted=False)
        self.of = name
        self.encode = self._encoded

    def _encoded(self, value):
        value = self.nothing if value is None else value
        if not isinstance(value, self.answers):
            raise TypeError(f"the {self.word} of {self.of!r} returned {type(value).__name__}: it returns {self.words}")
        return outputs.of_effects(getattr(value, self.written)())


class Planner(_Beside):
    word, ending, answers, nothing, written = "plan", handlers.PLAN, (Plan, Done), Plan(), "json_of_plan"
    words = "a quiver.Plan, a quiver.Done, or None"


class Contingency(_Beside):
    word, ending, answers, nothing, written = "contingency", handlers.CONTINGENCY, (Redo, Done), None, "json_of_contingency"
    words = "a quiver.Redo or a quiver.Done"
