"""Several tasks in one call of a function: reading their inputs, and reporting one outcome for each."""

import struct
from typing import NamedTuple

from quiver import failures, inputs, outputs, scratch
from quiver.errors import Cancelled, InputInvalid, OutputTooLarge, ProtocolError
from quiver.formats import LOCATED, Format
from quiver.task import Task

MOST_COPIED = 16 * 1024
_JSON, _ARROW, _ARGUMENTS = Format.JSON.value, Format.ARROW.value, Format.ARGUMENTS.value  # quicker to compare
_HEAD = struct.Struct("<4xI8x")
_ENTRY = struct.Struct("<32xQQQIIIII4x128s")
_INPUT = struct.Struct("<32xQQ16xII136x")
_RECORD_BYTES = struct.Struct("<I")
_RECORD = 32  # its header
_LOCATED = 1  # in `flags`


class Part(NamedTuple):
    """The input of a task."""

    offset: int
    length: int
    format: int
    flags: int

    @property
    def located(self):
        return bool(self.flags & _LOCATED)

    def is_mapped(self):
        return self.format != _JSON and is_mapped(self.format, self.located, self.length)


def is_mapped(format, located, length):
    """Tables always, bytes from a size on from which a mapping is cheaper than a copy; JSON becomes objects anyway."""
    if located or format == _JSON or format == _ARGUMENTS:
        return False
    return length > (0 if format == _ARROW else MOST_COPIED)


class Call:
    """The tasks that one call of the function takes: those of a batch without an outcome, or one."""

    def __init__(self, slot, record):
        self._slot = slot
        self._record = record
        self._memory = None
        self._views = []
        self._input = slot.input(record)
        self.together = slot.left() > 1 and slot.whole()
        self._table = self._entries() if self.together else None
        if self._table is None:
            self.parts = [Part(record.input_offset, record.input_length, record.format, record.locator)]
        else:
            self.parts = [*map(Part._make, _INPUT.iter_unpack(self._table))]

    def _entries(self):
        """The batch's table from the first task without an outcome on."""
        count = _HEAD.unpack_from(self._input)[0]
        first = count - self._slot.left()
        return bytes(self._input[_HEAD.size + first * _ENTRY.size : _HEAD.size + count * _ENTRY.size])

    def name(self, index):
        """Of a task, for people."""
        name = self._record.name
        if self._table is not None:
            *_, length, name = _ENTRY.unpack_from(self._table, index * _ENTRY.size)
            name = name[:length]
        return name.decode(errors="replace")

    def tasks(self, most=None):
        """For the function; only the first ones if so many are enough."""
        record, slot, data = self._record, self._slot, self._input
        if self._table is None:
            return [Task(slot, record.name, record.handler, record.trial, record.allowed, record.variables())]
        handler, tasks = record.handler, []
        strings = _RECORD + len(handler) + 1
        size = _RECORD_BYTES.unpack_from
        table = self._table if most is None else self._table[: most * _ENTRY.size]
        for _, _, at, trial, allowed, _, _, length, name in _ENTRY.iter_unpack(table):
            variables = bytes(data[at + strings : at + size(data, at + 8)[0]])
            tasks.append(Task(slot, name[:length], handler, trial, allowed, variables))
        return tasks

    def data(self, part):
        """A copy of the input."""
        return bytes(self._input[part.offset : part.offset + part.length])

    def view(self, part, files):
        """The input as memory: a copy, or part of a mapping that the whole call shares."""
        if not part.is_mapped():
            return memoryview(self.data(part))
        if self._memory is None:
            mapped = [p for p in self.parts if p.is_mapped()]
            self._begin = min(p.offset for p in mapped)
            self._memory = files.map(self._begin, max(p.offset + p.length for p in mapped) - self._begin)
        at = part.offset - self._begin
        view = self._memory.view[at : at + part.length]
        self._views.append(view)
        return view

    def has_copies(self):
        """Whether nothing that the function got is the input itself."""
        return self._memory is None

    def release(self):
        """Takes the memory back. False when something still holds it."""
        return self._memory is None or self._memory.release(self._views)


def run(call, handler, files, tasks):
    """Calls the function; one outcome for each task, each an Output or a Failure. What it raises is the call's."""
    if handler.batch == "table":
        from quiver import tables

        outcomes, good, given = tables.of(call, files, handler.trusted)
    else:
        outcomes, good, given = _decode(call, handler, files)
    if not good:
        return outcomes
    if tasks is not None and len(good) != len(tasks):
        tasks = [tasks[i] for i in good]
    answers = _answers(handler, handler.call(given, tasks), len(good))
    for i, answer in zip(good, answers):
        outcomes[i] = _outcome(answer, call, i)
    return outcomes


def _decode(call, handler, files):
    """Inputs as the function gets them, and which tasks they are of; what cannot be read fails alone."""
    outcomes, good, values, tasks = [None] * len(call.parts), [], [], None
    for i, part in enumerate(call.parts):
        try:
            format = part.format
            data = call.data(part) if format == _JSON else call.view(part, files)
            value = inputs.decode(data, format, part.located, handler.arrow, handler.trusted)
            if format == _ARROW:
                tasks = tasks or call.tasks()
                before = tasks[i]._arguments()
                value = [*before, value] if before else value
            elif format == _ARGUMENTS and scratch.may_be_list(value):
                tasks = tasks or call.tasks()
                if scratch.is_list(tasks[i]):
                    value[-1] = scratch.given(value[-1], handler.arrow, handler.trusted)
            values.append(value[0] if format == _ARGUMENTS and len(value) == 1 else value)
            good.append(i)
        except InputInvalid as error:
            outcomes[i] = failures.of(error)
    return outcomes, good, values


def _answers(handler, answer, count):
    """What the function returned, one for each task."""
    if handler.batch == "table" and not isinstance(answer, (list, tuple)):
        from quiver import tables

        answer = tables.rows(answer)
    if not isinstance(answer, (list, tuple)):
        raise TypeError(
            f"handler {handler.name!r} returned {type(answer).__name__}: it takes several tasks, so it returns a list with"
            f" an outcome for each of its {count}"
        )
    if len(answer) != count:
        raise ValueError(f"handler {handler.name!r} returned {len(answer)} outcomes for {count} tasks")
    return answer


def _outcome(answer, call, index):
    """The output, or the failure that an exception means. Of many tasks nobody keeps a traceback."""
    try:
        if isinstance(answer, BaseException):
            return failures.of(answer, traced=not call.together)
        output = outputs.encode(answer)
        if output.format == _ARROW and output.length > scratch.MOST_INLINE:
            task = call.tasks()[index]
            if scratch.takes(output, task):
                output = outputs.encode(scratch.place(output, task))
        return output
    except Cancelled:
        raise
    except Exception as error:
        return failures.of(error, traced=not call.together)


def report(slot, record, outcomes):
    """Tells one outcome after the other: runs of short results of one format in a call each."""
    lengths, parts, format = [], [], -1
    for outcome in outcomes:
        ready = isinstance(outcome, outputs.Output) and outcome.data is not None and not outcome.format & LOCATED
        if parts and not (ready and outcome.format == format):
            if not _passed(slot, record, format, lengths, parts):
                return
            lengths, parts = [], []
        if ready:
            format = outcome.format
            lengths.append(outcome.length)
            parts.append(outcome.data)
        elif not _told(slot, record, outcome):
            return
    if parts:
        _passed(slot, record, format, lengths, parts)


def _passed(slot, record, format, lengths, parts):
    """False when the dispatch has ended before all of them had an outcome."""
    try:
        slot.passed(format, parts[0] if len(parts) == 1 else b"".join(parts), lengths)
        return True
    except ProtocolError as error:
        if len(parts) == 1:
            return _failed(slot, _does_not_fit(slot, record, lengths[0], error))
    return all(_passed(slot, record, format, [length], [part]) for length, part in zip(lengths, parts))


def _told(slot, record, outcome):
    """One that does not lie ready. False as above."""
    if isinstance(outcome, failures.Failure):
        return _failed(slot, outcome)
    try:
        if outcome.length > slot.room(record):
            raise OutputTooLarge(outcome.length, slot.room(record))
        outcome.write(slot.write)
        slot.complete(outcome.format & ~LOCATED, bool(outcome.format & LOCATED))
        return True
    except Exception as error:
        slot.rewrite()
        return _failed(slot, failures.of(error))


def _does_not_fit(slot, record, length, error):
    room = slot.room(record)
    return failures.of(OutputTooLarge(length, room) if length > room else error)


def _failed(slot, failure):
    slot.fail(*failure)
    return slot.left() > 0
