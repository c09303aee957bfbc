"""Trials as files, for the programs that write them."""

import contextlib
import os
import stat
import sys

from quiver.history import columns

ROWS = 1 << 18  # of a row group in Parquet


def write_arrow(out, batches):
    """Writes an Arrow file."""
    pa = columns.pyarrow()
    writer = pa.ipc.new_file(out, columns.schema())
    for table in _grouped(pa, batches):
        writer.write_table(table)
    writer.close()  # not after a failure: what is in a pipe then would look like a whole file


def write_parquet(out, batches):
    """Writes a Parquet file."""
    pa = columns.pyarrow()
    import pyarrow.parquet

    with pyarrow.parquet.ParquetWriter(out, columns.schema()) as writer:
        for table in _grouped(pa, batches):
            writer.write_table(table)


def _grouped(pa, batches):
    """Tables of many batches: a row group for each of them would be small."""
    group, rows = [], 0
    for batch in batches:
        group.append(batch)
        rows += batch.num_rows
        if rows >= ROWS:
            yield pa.Table.from_batches(group)
            group, rows = [], 0
    if group:
        yield pa.Table.from_batches(group)


@contextlib.contextmanager
def sink(name):
    """A file that is there once it is whole; a pipe, a device or the standard output as it is."""
    if name is None:
        yield sys.stdout.buffer
        sys.stdout.flush()
        return
    if os.path.exists(name) and not stat.S_ISREG(os.stat(name).st_mode):
        with open(name, "wb") as out:
            yield out
        return
    part = f"{name}.part"
    try:
        with open(part, "wb") as out:
            yield out
        os.replace(part, name)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(part)
        raise
