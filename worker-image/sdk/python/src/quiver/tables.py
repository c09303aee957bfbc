"""Several tasks as one pyarrow.Table: a row for each of them, and back."""

from quiver import failures, inputs
from quiver.errors import InputInvalid
from quiver.formats import Format

try:
    import pyarrow
except ImportError:
    pyarrow = None

_ARGUMENTS = Format.ARGUMENTS.value  # a plain number is quicker to compare
_OBJECTS = {Format.JSON, Format.ARGUMENTS}


def of(call, files, trusted):
    """The inputs as one table: JSON objects, also as the only argument, or Arrow streams of one row each.

    Answers an outcome for each task, the tasks that are in the table, and the table. A call with other arguments fails
    alone. Raises InputInvalid, with the task's name, for what the others have to be kept away from.
    """
    if pyarrow is None:
        raise InputInvalid("the handler takes a table, but pyarrow is not installed in this image")
    parts = call.parts
    formats = {part.format for part in parts}
    if formats <= _OBJECTS and not any(part.flags for part in parts):
        return _of_json(call)
    if formats == {Format.ARROW} and not any(part.flags for part in parts):
        table = _of_arrow(call, [call.view(part, files) for part in parts], trusted)
        return [None] * len(parts), range(len(parts)), table
    raise InputInvalid("inputs make one table when all are JSON objects, or all are Arrow streams of one row")


def _of_json(call):
    """By Python's reader: Arrow's takes a text that looks like a time for one, and reads in a thread of its own."""
    outcomes, good, rows = [None] * len(call.parts), [], []
    for i, part in enumerate(call.parts):
        try:
            row = inputs.decode(call.data(part), part.format, False)
        except InputInvalid as error:
            raise InputInvalid(f"{call.name(i)}: {error}") from None
        if part.format == _ARGUMENTS:
            if len(row) != 1 or type(row[0]) is not dict:
                outcomes[i] = failures.of(InputInvalid(_words(row)))
                continue
            row = row[0]
        if type(row) is not dict:
            raise InputInvalid(f"{call.name(i)}: the handler takes JSON objects")
        rows.append(row)
        good.append(i)
    try:
        return outcomes, good, _of_dicts(rows) if rows else None
    except (pyarrow.ArrowException, OverflowError) as error:
        raise InputInvalid(f"the inputs make no table: {error}") from None


def _words(args):
    given = f"{len(args)} arguments" if len(args) != 1 else f"an argument of type {type(args[0]).__name__}"
    return f"a row of the handler's table is one argument, a JSON object: the task has {given}"


def _of_dicts(rows):
    """Column by column, which is twice as quick as a struct for each row; a column for each name that a row has."""
    names = rows[0].keys()
    if any(row.keys() != names for row in rows):
        names = dict.fromkeys(name for row in rows for name in row)
    if not names:
        return pyarrow.Table.from_struct_array(pyarrow.array(rows, pyarrow.struct([])))
    return pyarrow.Table.from_arrays([pyarrow.array([row.get(name) for row in rows]) for name in names], names=[*names])


def _of_arrow(call, views, trusted):
    tables = []
    for i, view in enumerate(views):
        try:
            table = inputs.decode(view, Format.ARROW, False, "table", trusted)
        except InputInvalid as error:
            raise InputInvalid(f"{call.name(i)}: {error}") from None
        if table.num_rows != 1:
            raise InputInvalid(f"{call.name(i)}: the stream has {table.num_rows} rows, the handler takes one of each task")
        tables.append(table)
    try:
        return pyarrow.concat_tables(tables)
    except pyarrow.ArrowException as error:
        raise InputInvalid(f"the inputs make no table: {error}") from None


def rows(answer):
    """A table's rows as dicts, an array's values; anything else as it is."""
    if isinstance(answer, (pyarrow.Table, pyarrow.RecordBatch)):
        names = answer.schema.names
        if not names:
            return [{}] * answer.num_rows
        return [dict(zip(names, row)) for row in zip(*(column.to_pylist() for column in answer.columns))]
    return answer.to_pylist() if isinstance(answer, (pyarrow.Array, pyarrow.ChunkedArray)) else answer
