"""From the bytes of a payload to what a handler gets. Pure: it maps nothing and keeps nothing."""

import json

from quiver.errors import InputInvalid
from quiver.formats import Format
from quiver.locator import Locator

_FORMATS = [format for format in Format if format is not Format.EFFECTS]  # a list is quicker than calling the enumeration
_BYTES, _JSON, _ARGUMENTS = Format.BYTES.value, Format.JSON.value, Format.ARGUMENTS.value  # plain numbers are quicker to compare
_parse = json.JSONDecoder().raw_decode


def decode(data: memoryview, format: int, located: bool, arrow: str = "table", trusted: bool = False):
    """JSON as dict, list or scalar, bytes as the same memoryview, Arrow as pyarrow.Table, RecordBatch or RecordBatchReader
    over it, arguments as a list.

    What is Arrow is validated in full unless it is `trusted`: a broken offset would read foreign memory. Raises
    InputInvalid, with words, for what is not what its format says.
    """
    if not located:
        if format == _JSON:
            return _json(data)
        if format == _BYTES:
            return data
        if format == _ARGUMENTS:
            return _arguments(data)
    if not 0 <= format < len(_FORMATS):
        raise InputInvalid(f"format {format} is not known to this SDK")
    return _locator(data, _FORMATS[format]) if located else _arrow(data, arrow, trusted)


def _locator(data, format):
    try:
        return Locator(str(data, "utf-8"), format)
    except ValueError as error:  # includes UnicodeDecodeError
        raise InputInvalid(f"not a locator: {error}") from None


def _json(data):
    try:
        text = str(data, "utf-8")
        value, end = _parse(text)
        if end == len(text):
            return value
    except (ValueError, RecursionError):
        pass
    return _other_json(data)


def _other_json(data):
    """With blanks around it, a byte order mark, in UTF-16, or no JSON at all."""
    try:
        return json.loads(bytes(data))
    except (ValueError, RecursionError) as error:
        raise InputInvalid(f"not JSON: {error}") from None


def _arguments(data):
    args = _json(data)
    if type(args) is not list:
        raise InputInvalid("the arguments are no JSON array")
    return args


def _arrow(data, arrow, trusted):
    try:
        import pyarrow
    except ImportError:
        raise InputInvalid("the input is Arrow, but pyarrow is not installed in this image") from None
    try:
        reader = pyarrow.ipc.open_stream(pyarrow.py_buffer(data))
        if arrow == "reader":
            return reader if trusted else _checked(pyarrow, reader)
        data = _only(reader) if arrow == "batch" else reader.read_all()
        if not trusted:
            data.validate(full=True)
        return data
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        raise InputInvalid(f"not an Arrow stream: {error}") from None


def _only(reader):
    batches = [batch for _, batch in zip(range(2), reader)]
    if len(batches) != 1:
        count = "more than one record batch" if batches else "no record batch"
        raise InputInvalid(f"the stream has {count}, this handler takes exactly one: send one, or serve it as a table")
    return batches[0]


def _checked(pyarrow, reader):
    def batches():
        try:
            for batch in reader:
                batch.validate(full=True)
                yield batch
        except (pyarrow.ArrowException, OSError) as error:
            raise InputInvalid(f"not an Arrow stream: {error}") from None

    return pyarrow.RecordBatchReader.from_batches(reader.schema, batches())
