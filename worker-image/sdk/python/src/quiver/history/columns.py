"""Trials as columns of Arrow, made from lines of JSON."""

import io

from quiver.history.errors import HistoryError

#: A field of the line, the column, and its type. Names are those of the CSV export, as far as that has the column.
_COLUMNS = (
    ("task", "task", "int64"),
    ("name", "name", "string"),
    ("trial", "trial", "int32"),
    ("copy", "copy", "int32"),
    ("status", "status", "string"),
    ("worker", "worker", "int64"),
    ("slot", "slot", "int32"),
    ("startedAt", "started_at", "time"),
    ("finishedAt", "finished_at", "time"),
    ("runMillis", "run_ms", "int64"),
    ("exitCode", "exit_code", "int64"),
    ("signal", "signal", "int64"),
    ("reason", "reason", "string"),
    ("message", "message", "string"),
    ("passed", "passed", "int64"),
    ("pending", "pending", "int64"),
    ("failed", "failed", "int64"),
    ("cpuMillis", "cpu_ms", "int64"),
    ("maxRssKib", "max_rss_kib", "int64"),
    ("outputBytes", "out_bytes", "int64"),
    ("outputCut", "output_cut", "bool_"),
    ("stdout", "stdout", "bool_"),
    ("stderr", "stderr", "bool_"),
    ("resultFormat", "result_format", "string"),
    ("resultBytes", "result_bytes", "int64"),
)
FIELDS = tuple(field for field, _, _ in _COLUMNS)


def pyarrow():
    """pyarrow, which is an extra."""
    try:
        import pyarrow
        import pyarrow.json
    except ImportError as error:
        raise ImportError(f"tables need pyarrow: pip install quiver-sdk[arrow] ({error})") from None
    return pyarrow


def schema(line=False):
    """The columns; with `line`, under the names that the lines have."""
    pa = pyarrow()
    time = pa.timestamp("ms", "UTC")
    return pa.schema([
        (field if line else column, time if kind == "time" else getattr(pa, kind)()) for field, column, kind in _COLUMNS
    ])


def batches(blocks):
    """A RecordBatch of the whole lines of each block. Fields that a newer history adds are left out."""
    rest = b""
    for block in blocks:
        end = block.rfind(b"\n") + 1
        if end:
            yield from _parsed(rest + block[:end])
            rest = block[end:]
        else:
            rest += block
    if rest:
        yield from _parsed(rest)


def _parsed(lines):
    """By Arrow's reader, four times as quick as Python's: the types are given, so it guesses none of them."""
    pa = pyarrow()
    try:
        table = pa.json.read_json(
            io.BytesIO(lines),
            # One block: a line that is longer than one could not be read.
            read_options=pa.json.ReadOptions(use_threads=False, block_size=len(lines) + 1),
            parse_options=pa.json.ParseOptions(explicit_schema=schema(line=True), unexpected_field_behavior="ignore"),
        )
    except pa.ArrowException as error:
        raise HistoryError(200, "Malformed", f"the export is no list of trials: {error}") from None
    return table.rename_columns([column for _, column, _ in _COLUMNS]).to_batches()
