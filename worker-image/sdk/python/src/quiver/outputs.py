"""From what a handler returns to bytes and their format. The size is known before the first byte is written."""

import json
import sys
from typing import Callable, NamedTuple

from quiver.formats import LOCATED, Format
from quiver.locator import Locator


class Output(NamedTuple):
    """Bytes to be written."""

    format: int  #: as in the executor's record
    length: int
    write: Callable[[Callable], None]  #: gives them, part after part, to a function that takes bytes-likes


def encode(value) -> Output:
    """None as nothing; bytes-like as bytes; pyarrow.Table, RecordBatch and RecordBatchReader as an Arrow IPC stream;
    Locator as itself; anything else as JSON. Raises TypeError or ValueError for what JSON cannot say."""
    if value is None:
        return Output(Format.BYTES, 0, lambda write: None)
    if isinstance(value, Locator):
        return _bytes(value.format | LOCATED, value.url.encode())
    if isinstance(value, (bytes, bytearray, memoryview)):
        return _bytes(Format.BYTES, value)
    pyarrow = sys.modules.get("pyarrow")  # whoever returns a table has it loaded
    if pyarrow is not None and isinstance(value, pyarrow.RecordBatchReader):
        value = value.read_all()
    if pyarrow is not None and isinstance(value, (pyarrow.Table, pyarrow.RecordBatch)):
        return _arrow(pyarrow, value)
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return _bytes(Format.JSON, text.encode())


def _bytes(format, data):
    view = memoryview(data)
    view = view.cast("B") if view.c_contiguous else memoryview(view.tobytes())
    return Output(format, len(view), lambda write: write(view))


def _arrow(pyarrow, table):
    def stream(sink):
        with pyarrow.ipc.new_stream(sink, table.schema) as writer:
            writer.write(table)

    counting = pyarrow.MockOutputStream()
    stream(counting)

    def to(write):
        with pyarrow.PythonFile(_Sink(write), "w") as sink:
            stream(sink)

    return Output(Format.ARROW, counting.size(), to)


class _Sink:
    """What pyarrow takes for a file. It hands over its own buffers: nothing is copied on the way to write(2)."""

    closed = False

    def __init__(self, write):
        self.write = write

    def flush(self):
        pass

    def close(self):
        pass
