"""Classes that keep a state for each key, and markers of what is to be done."""

import json
import math
from dataclasses import replace

from quiver import changes, handlers, outputs
from quiver.effects import Done, Redo
from quiver.errors import InputInvalid
from quiver.texts import json_bytes

MOST_WHOLE = 2**53 - 1  # of sums with whole numbers, as Redis tells them
_MOST_NUMBER = 32  # characters of a number that Redis compares as one
_MOST_NAME = 116  # bytes, for that of the contingency has more


def complex_task(name):
    """Decorator of a class: a complex task, which merges requests. It keeps a state for each key, a dict of JSON values, and
    markers, each a piece of work.

        @quiver.complex("flags")
        class Flags:
            def plan(self, request, state, markers):
                return quiver.Done(state=[quiver.set(request["id"], request["on"])], markers={request["id"]: quiver.marker()})

            def execute(self, state, marker):
                server.store(marker["id"], state[marker["id"]])
                return quiver.Done(state=[quiver.delete(marker["id"])])

    A request is a call with complex_key: plan gets its arguments, the state and the markers by their ids, and its answer
    ends it. It returns quiver.Done with what it changes, or None. A marker that it names is executed: execute gets the state
    and the marker with its id and args, and returns a result, or quiver.Done with changes. Plans and markers of one key take
    turns, plans first; see quiver.marker for those that do not.

    All that an answer changes is done in the step that records it. A change with another state than it expects is none:
    then the function is called again, with the new state. What `plan` sees of a marker has `left`, its tasks that have not
    ended, and `error`, where one has failed for good.

    The class may have more methods. init(key) gives the first state, as a dict, where neither a field nor a marker is kept.
    contingency(state, marker) is asked of markers with contingency=True, and returns quiver.Redo or quiver.Done, see
    quiver.contingency. Each but init may have a parameter `task`. One instance of the class is made, without arguments.

    The name has at most 116 printable characters of ASCII without blanks, and counts as two handlers, or three.
    """
    if not isinstance(name, str):
        raise TypeError(f"the name of a complex task is a text, not {name!r:.200}")
    handlers.check_name(name)
    if len(name) > _MOST_NAME or not all("!" <= letter <= "~" for letter in name):
        raise ValueError(f"the name of a complex task has at most {_MOST_NAME} printable characters of ASCII, not {name!r:.200}")

    def register(of):
        for method in ("plan", "execute"):
            if not hasattr(of, method):
                raise TypeError(f"{of.__name__} is a complex task, and has no method {method}")
        _check_methods(of, of)
        instance = of()
        _check_methods(of, instance)
        handlers.add(_Execution(name, instance))
        handlers.add(_Plan(name, instance))
        if hasattr(instance, "contingency"):
            handlers.add(_Contingency(name, instance))
        return of

    return register


def _check_methods(of, owner):
    for method in ("plan", "execute", "init", "contingency"):
        if hasattr(owner, method) and not callable(getattr(owner, method)):
            raise TypeError(f"{of.__name__} is a complex task, and its {method} is {getattr(owner, method)!r:.80}: a method is needed")


class _Method(handlers.Handler):
    """A method of a complex task, among the handlers. The last argument of a call is what the worker has read for it."""

    def __init__(self, name, instance):
        function = getattr(instance, self.method)
        super().__init__(name + self.ending, function, batch=False, arrow="table", trusted=False)
        self.of, self.instance = name, instance
        self._give = self.call_with  # a list of arguments to the method
        self.call, self.call_with, self.encode = self._of_value, self._of_arguments, self._encoded

    def _of_value(self, value, task):
        raise InputInvalid(f"{self.of!r} is a complex task: only a Task with complexKey calls it")

    def _of_arguments(self, args, task):
        kept = args[-1] if args else None
        if not isinstance(kept, dict) or not isinstance(kept.get("state"), dict) or self.part not in kept:
            raise InputInvalid(f"{self.of!r} is a complex task: a call of it needs complexKey")
        return self.answer(args[:-1], kept, task)

    def answer(self, args, kept, task):
        return self._give([kept["state"], {"id": kept["marker"], "args": args}], task)

    def _encoded(self, value):
        if not isinstance(value, self.answers):
            raise TypeError(f"{self.method} of the complex task {self.of!r} returned {type(value).__name__}: {self.words}")
        self._check_contingencies(value)
        return outputs.of_effects(self.written(value))


    def _check_contingencies(self, value):
        """Nobody would answer for a marker whose contingency is asked in vain: it would be in doubt for ever."""
        if not isinstance(value, Done) or hasattr(self.instance, "contingency"):
            return
        name = next((name for name, said in (value.markers or {}).items() if said and said.get("contingency")), None)
        if name is not None:
            raise ValueError(f"Done: markers has {name!r} with contingency True, and the complex task {self.of!r} has no method"
                             " contingency")


class _Execution(_Method):
    method, ending, part = "execute", "", "marker"

    def _encoded(self, value):
        self._check_contingencies(value)
        return outputs.of_effects(value.json_of_execution()) if isinstance(value, Done) else outputs.encode(value)


class _Contingency(_Method):
    method, ending, part = "contingency", handlers.CONTINGENCY, "marker"
    answers, words = (Redo, Done), "it returns a quiver.Redo or a quiver.Done"

    def written(self, value):
        return value.json_of_contingency(complex=True)


class _Plan(_Method):
    method, ending, part = "plan", handlers.PLAN, "markers"
    answers, words = (Done, type(None)), "it returns a quiver.Done, or None"

    def answer(self, args, kept, task):
        state, markers = kept["state"], kept["markers"]
        first = {}
        if not state and not markers and hasattr(self.instance, "init"):
            first = self._first(kept["key"])
        # The plan has a copy, which it may change.
        done = self._give([*args, json.loads(json_bytes(first)) if first else state, markers], task)
        if first and (done is None or isinstance(done, Done)):
            done = done or Done()
            return replace(done, state=_upon(first, done.state))
        return done

    def _first(self, key):
        first = self.instance.init(key)
        if first is not None and not isinstance(first, dict):
            raise TypeError(f"init of the complex task {self.of!r} returned {type(first).__name__}: it returns a dict, or None")
        return json.loads(json_bytes(first)) if first else {}  # as it is once it is kept

    def written(self, value):
        return (value or Done()).json_of_plan(complex=True)


def _upon(first, said):
    """The changes that write this first state as these change it: nothing of it is there yet."""
    made = {field: changes.set_field(field, value, expect=None) for field, value in first.items()}
    for change in said:
        if change.field not in first:
            made[change.field] = change
            continue
        if change.expect is not changes.UNSAID and not _is_same(first[change.field], change.expect):
            raise ValueError(f"the plan expects {change.expect!r:.80} of {change.field!r}, and init has {first[change.field]!r:.80}")
        if change.kind == "delete":
            del made[change.field]
        else:
            value = _sum(change, first[change.field]) if change.kind == "add" else change.value
            made[change.field] = changes.set_field(change.field, value, expect=None)
    return list(made.values())


def _is_same(kept, expected):
    """Whether a field with this value has the one that is expected of it, as Redis tells it: 1 is 1.0, and neither is True.
    Whole numbers are compared by their digits, and so is each number within a list or a dict."""
    expected = json.loads(json_bytes(expected))
    if _is_number(kept) and _is_number(expected):
        if isinstance(kept, int) and isinstance(expected, int):
            return kept == expected
        return max(len(json_bytes(kept)), len(json_bytes(expected))) <= _MOST_NUMBER and float(kept) == float(expected)
    return json.dumps(kept, sort_keys=True) == json.dumps(expected, sort_keys=True)


def _is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _sum(change, old):
    """As Redis adds to what is kept."""
    if not _is_number(old):
        raise TypeError(f"add: the value of {change.field!r} from init is {old!r:.80}, a number is needed")
    try:
        new = old + change.value
    except OverflowError:
        new = math.inf
    is_whole = isinstance(old, int) and isinstance(change.value, int)
    if max(abs(old), abs(change.value), abs(new)) <= MOST_WHOLE or not is_whole and math.isfinite(new):
        return new
    raise ValueError(f"add: {change.field!r} would be {new!r:.80}, whole numbers up to {MOST_WHOLE} are allowed")
