import pytest

from quiver.formats import LOCATED, Format
from quiver.locator import Locator
from quiver.outputs import encode

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")


def written(value):
    output, data = encode(value), bytearray()

    def write(part):
        data.extend(part)
        return len(part)

    output.write(write)
    assert len(data) == output.length
    return output.format, bytes(data)


@pytest.mark.parametrize(
    "value, format, data",
    [
        (None, Format.BYTES, b""),
        (b"abc", Format.BYTES, b"abc"),
        (bytearray(5000), Format.BYTES, bytes(5000)),
        (memoryview(b"abcdef")[::2], Format.BYTES, b"ace"),
        ({"a": [1, None, "ü"]}, Format.JSON, '{"a":[1,null,"ü"]}'.encode()),
        ("text", Format.JSON, b'"text"'),
        (False, Format.JSON, b"false"),
        (Locator("/out/x", Format.ARROW), Format.ARROW | LOCATED, b"/out/x"),
    ],
)
def test_says_what_it_writes(value, format, data):
    assert written(value) == (format, data)


def test_writes_a_table_as_a_stream_whose_size_it_knew():
    table = pyarrow.table({"x": list(range(10_000)), "s": ["text"] * 10_000})
    format, data = written(table)
    assert format == Format.ARROW
    assert pyarrow.ipc.open_stream(data).read_all() == table


def test_writes_a_batch_and_a_reader_as_streams():
    table = pyarrow.table({"x": [1, 2, 3]})
    for value in (table.to_batches()[0], table.to_reader()):
        assert pyarrow.ipc.open_stream(written(value)[1]).read_all() == table


@pytest.mark.parametrize("value", [object(), {"x": {1}}, float("nan"), "\ud800"])
def test_refuses_what_json_cannot_say(value):
    with pytest.raises((TypeError, ValueError)):
        encode(value)
