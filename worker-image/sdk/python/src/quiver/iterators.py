"""Functions that make tasks, or the chunks of a map-reduce: called again and again, each time with room for some more."""

import inspect
from collections import namedtuple

from quiver import handlers, nodes
from quiver.errors import DoNotRetry, InputInvalid, OutputTooLarge
from quiver.outputs import of_json
from quiver.signatures import Signature, counted
from quiver.task import Task
from quiver.texts import json_bytes

MOST_TASKS = 500  # of one answer
MOST_BYTES = 64 * 1024
MOST_PAGE = 4 << 20  # of one answer with chunks
_END = "$end"  # the state of a generator that ended behind its last tasks, with its result
_FACTS = {"state": object, "created": int, "finished": int, "room": int, "args": list}


# A kind of answer: its field, what checks an element of it, how many elements and how many bytes it has at most.
_Kind = namedtuple("_Kind", "word check most_elements most_bytes")
_TASKS = _Kind("tasks", nodes.check, MOST_TASKS, MOST_BYTES)
_CHUNKS = _Kind("chunks", lambda chunk: chunk, None, MOST_PAGE)


class _Later:
    def __repr__(self):
        return "quiver.LATER"


LATER = _Later()  #: nothing now: the iterator is asked again when one of its tasks ends, or after a second


class Iteration(Task):
    """One call of an iterator: its task, which all of Task is about, and how far the iterator is."""

    __slots__ = ("state", "finished", "room", "_created", "_counted")

    def __init__(self, task, facts, kind=_TASKS):
        super().__init__(task._slot, task._name, task._handler, task.trial, task.allowed, task._environment)
        self.state = facts["state"]  #: what the last call left here, a JSON value; None in the first call
        self.finished = facts["finished"]  #: of the tasks made so far, those that have ended; of chunks all
        self.room = min(facts["room"], kind.most_elements or facts["room"])  #: how many tasks, or chunks, this call may make
        self._created = facts["created"]
        self._counted = False

    @property
    def created(self):
        """How many tasks, or chunks, the calls before this one have made. A generator may go on from this number instead of a state."""
        self._counted = True
        return self._created


def iterator(name):
    """Decorator: a Task's iterator node calls this function under this name. It is best a generator, `f(*args, it)`:

        @quiver.iterator("rows")
        def rows(path, it):
            with open(path) as file:
                file.seek(it.state or 0)
                while line := file.readline():
                    it.state = file.tell()
                    yield quiver.call("row", line)

    `args` are those of the node, `it` is an Iteration. Each call runs the generator anew. It is closed at the latest when
    `it.room` tasks are taken, or as many as fit into 64 KiB. The next call finds `it.state` as it was when the last task
    that was taken was yielded: set the state before the yield, to what follows this task. A task that did not fit is not
    taken, and its state does not count. `yield quiver.LATER` ends the call for want of something to do, and its state
    counts. A generator that returns has made all of its tasks; what it returns is the iterator's result.

    As a map-reduce's map with `paged: true` it yields chunks in place of tasks: any JSON values. An answer takes as many
    as fit into 4 MiB and into the slot, and what the generator returns is dropped.

    A function that is no generator answers itself: None for no more, quiver.LATER or {} for not now, {"state": …,
    "tasks": […]} or {"state": …, "chunks": […]} for more, with at most `it.room` of them, {"result": …} for the end with a
    result.

    A call may be repeated, and only its answer counts: what it does elsewhere, it does once or more often. What it raises
    is a failed trial of the call.
    """
    handlers.check_name(name)

    def register(function):
        handlers.add(Iterator(name, function))
        return function

    return register


class Iterator:
    """Among the handlers: what a call of it answers is ready to be written."""

    batch, arrow, trusted, wants_task = False, "table", False, True

    def __init__(self, name, function):
        self.name = name
        self.function = function
        self._signature = Signature(function)

    def call(self, value, task):
        raise InputInvalid(f"{self.name!r} is an iterator: only the iterator of a Task calls it")

    def call_with(self, args, task):
        """The answer as JSON. Raises InputInvalid for arguments that are not those of an iterator."""
        facts = args[0] if len(args) == 1 else None
        if type(facts) is not dict or not all(k in facts and isinstance(facts[k], kind) for k, kind in _FACTS.items()):
            raise InputInvalid(f"{self.name!r} is an iterator: only the iterator of a Task calls it")
        state = facts["state"]
        if type(state) is dict and _END in state:
            return _end(state[_END])
        kind = _CHUNKS if facts.get("makes") == "chunks" else _TASKS
        it = Iteration(task, facts, kind)
        room, most = it.room, min(kind.most_bytes, task._slot.limit())
        try:
            given = self._called(facts["args"], it)
            if inspect.isgenerator(given):
                return _Walk(self.name, given, it, kind, room, most).answer()
            return self._answered(given, kind, room, most)
        finally:
            it._end()

    @staticmethod
    def encode(answer):
        return of_json(answer)

    def _called(self, args, it):
        try:
            return self.function(*args, it)
        except TypeError as error:
            misfit = self._signature.misfit_of(error, *args, it)
            if misfit is None:
                raise
            raise InputInvalid(f"{counted(args)} and the iteration for iterator {self.name!r}, which takes {misfit}") from None

    def _answered(self, answer, kind, room, most):
        """By a function that is no generator."""
        if answer is None:
            return b"null"
        if answer is LATER:
            return b"{}"
        word = kind.word
        if type(answer) is not dict or not (answer.keys() <= {"state", word} or answer.keys() == {"result"}):
            raise TypeError(
                f"iterator {self.name!r} answered {answer!r:.80}: it yields {word}, or answers None, quiver.LATER, or a dict"
                f" with state and {word}, or with result"
            )
        if word in answer:
            answer = {**answer, word: [kind.check(element) for element in answer[word]]}
            if len(answer[word]) > room:
                raise DoNotRetry(f"iterator {self.name!r} answered {len(answer[word])} {word}, it.room is {room}")
        _check_state(answer.get("state"))
        data = json_bytes(answer)
        if len(data) > most:
            raise _too_large(f"iterator {self.name!r} answered {len(data)} bytes", len(data), kind, most)
        return data


class _Walk:
    """One run of a generator, up to the end of its room."""

    def __init__(self, name, generator, it, kind, room, most):
        self._name = name
        self._generator = generator
        self._it = it
        self._kind = kind
        self._room = room
        self._most = most
        self._tasks = []
        self._size = 0  # of the tasks, with a comma each
        self._begun = self._state = _state(it)

    def answer(self):
        try:
            return self._walked()
        finally:
            self._generator.close()

    def _walked(self):
        it = self._it
        while len(self._tasks) < self._room:
            try:
                task = next(self._generator)
            except StopIteration as end:
                return self._ended(end.value)
            if task is LATER:
                self._state = _state(it)
                return self._more()
            if not self._takes(json_bytes(self._kind.check(task)), _state(it)):
                break
        return self._cut()

    def _takes(self, task, state):
        if self._bytes(state, len(task) + 1) > self._most:
            if not self._tasks:
                words = f"iterator {self._name!r} yielded {len(task)} bytes with a state of {len(state)}"
                raise _too_large(words, self._bytes(state, len(task) + 1), self._kind, self._most)
            return False
        self._tasks.append(task)
        self._size += len(task) + 1
        self._state = state
        return True

    def _bytes(self, state, more=0):
        return len(_joined(self._kind, state, ())) + max(0, self._size + more - 1)

    def _more(self):
        if not self._tasks and self._state == self._begun:
            return b"{}"
        return _joined(self._kind, self._state, self._tasks)

    def _cut(self):
        """The generator would have gone on; the next call does."""
        if self._tasks and self._state == self._begun and not self._it._counted:
            if self._most < self._kind.most_bytes:  # perhaps its slot has no room left behind other results
                raise OutputTooLarge(self._kind.most_bytes, self._most)
            word = self._kind.word
            raise DoNotRetry(
                f"{self._name!r} has more than {len(self._tasks)} {word} and no new it.state: set it before each yield, or go"
                f" on from it.created. The next call would make the same {word}"
            )
        return self._more()

    def _ended(self, result):
        """An answer has tasks, or it is the last one: with tasks, the next call is told that it is."""
        if not self._tasks:
            return self._last(result)
        state = json_bytes({_END: result})
        if self._bytes(state) <= self._most:
            return _joined(self._kind, state, self._tasks)
        return self._cut()  # and the next call has no task and all the room

    def _last(self, result):
        data = _end(result)
        if len(data) > self._most:
            raise _too_large(f"iterator {self._name!r} returned {len(data)} bytes", len(data), self._kind, self._most)
        return data


def _too_large(words, size, kind, most):
    """For good if no slot takes it; a smaller one may have no room left behind other results."""
    return DoNotRetry(f"{words}, at most {most} are taken") if most == kind.most_bytes else OutputTooLarge(size, most)


def _end(result):
    return b"null" if result is None else json_bytes({"result": result})


def _state(it):
    _check_state(it.state)
    return json_bytes(it.state)


def _check_state(state):
    if type(state) is dict and _END in state:
        raise ValueError(f"it.state has the key {_END!r}, which says that the iterator is over: choose another one")


def _joined(kind, state, elements):
    return b'{"state":%b,"%b":[%b]}' % (state, kind.word.encode(), b",".join(elements))
