import pytest

from quiver.errors import InputInvalid
from quiver.formats import Format
from quiver.inputs import decode
from quiver.locator import Locator

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")


def stream(table):
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write(table)
    return sink.getvalue()


def test_gives_bytes_as_the_memory_itself():
    data = memoryview(b"abc")
    assert decode(data, Format.BYTES, False) is data


@pytest.mark.parametrize("text, value", [(b'{"a":[1,"\xc3\xbc"]}', {"a": [1, "ü"]}), (b"null", None), (b"3", 3)])
def test_gives_json_as_python(text, value):
    assert decode(memoryview(text), Format.JSON, False) == value


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b"[" * 100_000])
def test_refuses_broken_json_with_words(text):
    with pytest.raises(InputInvalid, match="not JSON"):
        decode(memoryview(text), Format.JSON, False)


def test_gives_an_arrow_stream_as_a_table_over_the_same_memory():
    data = stream(pyarrow.table({"x": list(range(1000)), "s": ["a"] * 1000}))
    table = decode(memoryview(data), Format.ARROW, False)
    assert table.column("x").to_pylist() == list(range(1000))
    for column in table.columns:
        for buffer in column.chunk(0).buffers():
            assert buffer is None or data.address <= buffer.address < data.address + data.size


def test_gives_an_arrow_stream_as_a_reader_on_wish():
    reader = decode(memoryview(stream(pyarrow.table({"x": [1, 2]}))), Format.ARROW, False, arrow="reader")
    assert [batch.num_rows for batch in reader] == [2]


def test_gives_the_one_batch_of_an_arrow_stream_on_wish():
    data = stream(pyarrow.table({"x": list(range(1000))}))
    batch = decode(memoryview(data), Format.ARROW, False, arrow="batch")
    assert isinstance(batch, pyarrow.RecordBatch) and batch.num_rows == 1000
    for buffer in batch.column(0).buffers():
        assert buffer is None or data.address <= buffer.address < data.address + data.size


@pytest.mark.parametrize("chunks, words", [([], "no record batch"), ([[1], [2]], "more than one record batch")])
def test_refuses_a_stream_that_has_not_one_batch_where_one_is_wanted(chunks, words):
    table = pyarrow.table({"x": pyarrow.chunked_array(chunks, pyarrow.int64())})
    with pytest.raises(InputInvalid, match=words):
        decode(memoryview(stream(table)), Format.ARROW, False, arrow="batch")


def broken_offsets():
    data = bytearray(stream(pyarrow.table({"s": ["abc", "def"]})))
    offsets = (0).to_bytes(4, "little") + (3).to_bytes(4, "little") + (6).to_bytes(4, "little")
    at = data.index(offsets)
    data[at + 8 : at + 12] = (1 << 28).to_bytes(4, "little")
    return bytes(data)


@pytest.mark.parametrize(
    "data", [b"", b"nonsense", broken_offsets(), bytes(stream(pyarrow.table({"x": [1] * 100})))[:-300]],
    ids=["empty", "nonsense", "offsets", "cut"],
)
@pytest.mark.parametrize("arrow", ["table", "batch", "reader"])
def test_refuses_broken_arrow_with_words(data, arrow):
    with pytest.raises(InputInvalid, match="not an Arrow stream"):
        got = decode(memoryview(data), Format.ARROW, False, arrow=arrow)
        if arrow == "reader":
            got.read_all()


def test_gives_a_locator_with_the_format_of_what_lies_there():
    assert decode(memoryview(b"/data/x.arrow"), Format.ARROW, True) == Locator("/data/x.arrow", Format.ARROW)


@pytest.mark.parametrize("data", [b"", b"\xff", b"x" * 1025])
def test_refuses_a_broken_locator_with_words(data):
    with pytest.raises(InputInvalid, match="not a locator"):
        decode(memoryview(data), Format.BYTES, True)


def test_gives_arguments_as_a_list():
    assert decode(memoryview(b' [1, {"a": "\xc3\xbc"}, null]'), Format.ARGUMENTS, False) == [1, {"a": "ü"}, None]


@pytest.mark.parametrize("text, words", [(b"{}", "no JSON array"), (b"1", "no JSON array"), (b"[1", "not JSON"), (b"", "not JSON")])
def test_refuses_arguments_that_are_no_array(text, words):
    with pytest.raises(InputInvalid, match=words):
        decode(memoryview(text), Format.ARGUMENTS, False)


def test_no_locator_leads_to_arguments():
    with pytest.raises(InputInvalid, match="not a locator: a locator leads to bytes, JSON or Arrow"):
        decode(memoryview(b"/data/x"), Format.ARGUMENTS, True)
    with pytest.raises(ValueError, match="not to arguments"):
        Locator("/data/x", Format.ARGUMENTS)


@pytest.mark.parametrize("format", [4, 7, 255])
def test_refuses_a_format_that_it_does_not_know(format):
    with pytest.raises(InputInvalid, match=f"format {format} is not known to this SDK"):
        decode(memoryview(b""), format, False)
