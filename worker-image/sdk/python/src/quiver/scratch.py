"""Results that are too large to travel: files of a directory that all workers of a job share.

A file is `<directory of the job>/<ordinal>-<session>-<call>.arrow`. The job's last task removes the directory. Before that
it leaves a mark in `.over` beside it. So a writer that comes too late knows it, and leaves nothing behind.
"""

import base64
import contextlib
import os

from quiver.errors import DoNotRetry, InputInvalid
from quiver.formats import Format
from quiver.locator import Locator

MOST_INLINE = 64 * 1024  #: bytes of a stream that travels
_FILE = "QUIVER_SCRATCH"  # the file for the result of this trial
_REFERENCES = "QUIVER_REFERENCES"  # there where the last argument is a list of streams


def takes(output, task):
    """Whether the output goes into a file."""
    return output.format == Format.ARROW and output.length > MOST_INLINE and _FILE in task.env


def place(output, task):
    """Writes the output into the file of this trial; where it lies."""
    path = task.env[_FILE]
    directory, name = os.path.split(path)
    _refuse_if_over(directory)
    os.makedirs(directory, exist_ok=True)
    temporary = os.path.join(directory, f".{name}")
    try:
        with open(temporary, "wb") as file:
            output.write(file.write)
            file.flush()
            os.fsync(file.fileno())  # the result counts when it is reported, whatever becomes of this machine
        os.rename(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    try:
        _refuse_if_over(directory)
    except DoNotRetry:
        with contextlib.suppress(OSError):
            os.unlink(path)
            os.rmdir(directory)
        raise
    return Locator(path, Format.ARROW)


def _refuse_if_over(directory):
    parent, job = os.path.split(directory)
    if os.path.exists(os.path.join(parent, ".over", job)):
        raise DoNotRetry(f"the job of this task is over, its results in {directory} are removed")


def may_be_list(args):
    """Whether the last argument looks like a list of streams: much quicker than to look for the variable."""
    last = args[-1] if args else None
    return type(last) is list and len(last) > 0 and type(last[0]) is dict and last[0].get("format") == "Arrow"


def is_list(task):
    """Whether the last argument is a list of streams."""
    return _REFERENCES.encode() in task._environment and _REFERENCES in task.env


def given(items, arrow, trusted):
    """The streams of a list as a handler wants them: one Table, the only RecordBatch, or a reader of all batches, which maps
    one file at a time."""
    try:
        import pyarrow
    except ImportError:
        raise InputInvalid("the results are Arrow, but pyarrow is not installed in this image") from None
    streams = _Streams(pyarrow, items, trusted)
    try:
        reader = pyarrow.RecordBatchReader.from_batches(streams.schema(), streams.batches())
        if arrow == "reader":
            return reader
        if arrow == "table":
            return reader.read_all()
        batches = [batch for _, batch in zip(range(2), reader)]
    except (pyarrow.ArrowException, OSError, ValueError, KeyError) as error:
        raise InputInvalid(f"the results cannot be read: {error}") from None
    if len(batches) != 1:
        raise InputInvalid(f"the results have {len(batches) or 'no'} batches, this handler takes exactly one: take a reader")
    return batches[0]


class _Streams:
    def __init__(self, pyarrow, items, trusted):
        self._pyarrow, self._items, self._trusted = pyarrow, items, trusted

    def schema(self):
        with self._opened(self._items[0]) as reader:
            return reader.schema

    def batches(self):
        schema = None
        for item in self._items:
            with self._opened(item) as reader:
                if schema is None:
                    schema, first = reader.schema, item
                elif reader.schema != schema:
                    raise InputInvalid(
                        f"the results differ: {_name(first)} has the schema ({_shown(schema)}), {_name(item)} has"
                        f" ({_shown(reader.schema)})"
                    )
                for batch in reader:
                    if not self._trusted:
                        batch.validate(full=True)
                    yield batch
                    del batch  # the mapping goes with the last reference to it

    @contextlib.contextmanager
    def _opened(self, item):
        if "locator" in item:
            try:
                source = self._pyarrow.memory_map(item["locator"])
            except OSError as error:
                raise InputInvalid(f"{_name(item)}: {os.strerror(error.errno or 0)}, in {item['locator']}") from None
        else:
            source = self._pyarrow.BufferReader(base64.b64decode(item["base64"]))
        with source, self._pyarrow.ipc.open_stream(source) as reader:
            yield reader


def _name(item):
    return os.path.basename(item["locator"]) if "locator" in item else "a short one"


def _shown(schema):
    return ", ".join(f"{field.name}: {field.type}" for field in schema)
