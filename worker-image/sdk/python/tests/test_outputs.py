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


def test_each_batch_of_a_stream_stays_one():
    batches = [pyarrow.record_batch({"x": [n, n]}) for n in range(3)]

    def yielding():
        yield from batches

    for value in (pyarrow.Table.from_batches(batches), pyarrow.RecordBatchReader.from_batches(batches[0].schema, batches)):
        assert list(pyarrow.ipc.open_stream(written(value)[1])) == batches
    assert list(pyarrow.ipc.open_stream(written(yielding())[1])) == batches


def test_what_a_generator_yields_is_an_array():
    assert written(n * n for n in range(3)) == (Format.JSON, b"[0,1,4]")
    assert written(n for n in ()) == (Format.JSON, b"[]")


def test_a_generator_of_several_schemas_is_refused_with_both():
    with pytest.raises(ValueError, match=r"\(x: int64\) and \(y: int64\)"):
        encode(pyarrow.table({name: [1]}) for name in "xy")
    with pytest.raises(TypeError, match="Table and dict"):
        encode(each for each in (pyarrow.table({"x": [1]}), {"x": 1}))
