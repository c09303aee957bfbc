"""From what a handler returns to bytes and their format. The size is known before the first byte is written."""

import sys
import types

from quiver.effects import Done, Plan, Redo
from quiver.formats import LOCATED, Format
from quiver.locator import Locator
from quiver.texts import json_bytes

class Output:
    """Bytes to be written."""

    __slots__ = ("format", "length", "data")

    def __init__(self, format, length, data):
        self.format = format  #: as in the executor's record
        self.length = length
        self.data = data  #: all of them, as bytes; None when only `write` has them

    def write(self, write):
        """Gives them, part after part, to a function that takes bytes-likes."""
        write(self.data)


class _View(Output):
    """Memory of the user's."""

    __slots__ = ("view",)

    def __init__(self, format, data):
        view = memoryview(data)
        self.view = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
        super().__init__(format, len(self.view), None)

    def write(self, write):
        write(self.view)


class _Stream(Output):
    """Tables or record batches of one schema, one after the other."""

    __slots__ = ("pyarrow", "tables", "schema")

    def __init__(self, pyarrow, tables, schema):
        self.pyarrow, self.tables, self.schema = pyarrow, tables, schema
        counting = pyarrow.MockOutputStream()
        self._stream(counting)
        super().__init__(Format.ARROW, counting.size(), None)

    def write(self, write):
        with self.pyarrow.PythonFile(_Sink(write), "w") as sink:
            self._stream(sink)

    def _stream(self, sink):
        with self.pyarrow.ipc.new_stream(sink, self.schema) as writer:
            for table in self.tables:
                writer.write(table)


def encode(value) -> Output:
    """None as nothing; bytes-like as bytes; pyarrow.Table, RecordBatch and RecordBatchReader as an Arrow IPC stream;
    Locator as itself; Done as effects; anything else as JSON. A generator is run to its end: tables and batches that
    it yields are one stream, in which each batch stays one, all other values an array. Raises TypeError or ValueError for what JSON cannot
    say, and for batches of several schemas."""
    if value is None:
        return _bytes(Format.BYTES, b"")
    if isinstance(value, dict):  # what most functions return
        return of_json(json_bytes(value))
    if isinstance(value, Locator):
        return _bytes(value.format | LOCATED, value.url.encode())
    if isinstance(value, bytes):
        return _bytes(Format.BYTES, value)
    if isinstance(value, (bytearray, memoryview)):
        return _View(Format.BYTES, value)
    if isinstance(value, (Done, Plan, Redo)):
        if not isinstance(value, Done):
            whose = "plan" if isinstance(value, Plan) else "contingency"
            raise TypeError(f"a quiver.{type(value).__name__} is what a function with @quiver.{whose} returns: this one was called"
                            " as the function itself")
        return of_effects(value.json())
    pyarrow = sys.modules.get("pyarrow")  # whoever returns a table has it loaded
    if isinstance(value, types.GeneratorType):
        value = _drained(value)
        pyarrow = sys.modules.get("pyarrow")  # it may have loaded it
        if pyarrow is not None and any(isinstance(each, (pyarrow.Table, pyarrow.RecordBatch)) for each in value):
            return _stream(pyarrow, value)
    elif pyarrow is not None and isinstance(value, (pyarrow.Table, pyarrow.RecordBatch)):
        return _Stream(pyarrow, [value], value.schema)
    elif pyarrow is not None and isinstance(value, pyarrow.RecordBatchReader):
        return _Stream(pyarrow, list(value), value.schema)
    return of_json(json_bytes(value))


def _drained(generator):
    """What it yields, as a list. What it brings at its end would be dropped."""
    returned = []

    def whole():
        returned.append((yield from generator))

    values = list(whole())
    if isinstance(returned[0], (Done, Plan, Redo)):
        raise TypeError(f"a generator returned a {type(returned[0]).__name__}: a function that yields brings no tasks")
    return values


def _stream(pyarrow, tables):
    """Of what a generator yielded."""
    first = tables[0]
    for each in tables:
        if not isinstance(each, (pyarrow.Table, pyarrow.RecordBatch)) or not isinstance(first, (pyarrow.Table, pyarrow.RecordBatch)):
            raise TypeError(f"the generator yielded {type(first).__name__} and {type(each).__name__}: all are tables or none")
        if each.schema != first.schema:
            raise ValueError(f"the generator yielded batches of two schemas: ({_shown(first)}) and ({_shown(each)})")
    return _Stream(pyarrow, tables, first.schema)


def _shown(table):
    return ", ".join(f"{field.name}: {field.type}" for field in table.schema)


def of_json(data):
    """The output of this text."""
    return _bytes(Format.JSON, data)


def of_effects(data):
    """The output of this text, which says more than a result."""
    return _bytes(Format.EFFECTS, data)


def _bytes(format, data):
    return Output(format, len(data), data)


class _Sink:
    """What pyarrow takes for a file. It hands over its own buffers: nothing is copied on the way to write(2)."""

    closed = False

    def __init__(self, write):
        self.write = write

    def flush(self):
        pass

    def close(self):
        pass
