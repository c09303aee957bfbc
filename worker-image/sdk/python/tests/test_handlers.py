import pytest

from quiver import handlers
from quiver.errors import NotServed, RetryAfter
from quiver.locator import Locator


@pytest.fixture(autouse=True)
def no_handlers(monkeypatch):
    monkeypatch.setattr(handlers, "_registered", {})
    monkeypatch.setattr(handlers, "_found", {})


def test_gives_the_task_to_functions_that_want_it():
    @handlers.handler("one")
    def one(value):
        return value

    @handlers.handler("two")
    def two(value, task):
        return value, task

    @handlers.handler("optional")
    def optional(value, scale=1):
        return value, scale

    assert handlers.names() == ["one", "two", "optional"]
    assert handlers.find(b"one").call(1, "task") == 1
    assert handlers.find(b"two").call(1, "task") == (1, "task")
    assert handlers.find(b"optional").call(1, "task") == (1, 1)


def test_gives_the_tasks_to_functions_of_many_that_want_them():
    handlers.handler("one", batch=True)(lambda values: values)
    handlers.handler("two", batch="table")(lambda table, tasks=(): table)
    assert [handlers.find(name).wants_task for name in (b"one", b"two")] == [False, True]
    assert handlers.takes_batches(b"two") == "table" and not handlers.takes_batches(b"three")
    with pytest.raises(ValueError, match="batch is False, True or 'table', not 'list'"):
        handlers.handler("three", batch="list")


def test_says_what_is_served_when_a_name_is_not():
    handlers.handler("a")(len)
    handlers.handler("b")(len)
    with pytest.raises(NotServed, match="no handler 'c' here; served are: a, b"):
        handlers.find(b"c")


@pytest.mark.parametrize("name", ["", "x" * 129, "a\nb", "ü" * 65])
def test_refuses_a_name_that_cannot_be_announced(name):
    with pytest.raises(ValueError):
        handlers.handler(name)


@pytest.mark.parametrize("name", ["a b", "a\u00a0b", "größe", "\u2028"])
def test_takes_whatever_has_no_control_characters(name):
    handlers.handler(name)(len)
    assert handlers.names() == [name]


def test_refuses_a_second_function_of_the_same_name():
    handlers.handler("a")(len)
    with pytest.raises(ValueError, match="two functions"):
        handlers.handler("a")(abs)


def test_a_locator_opens_local_files_and_nothing_else(tmp_path):
    file = tmp_path / "a b.txt"
    file.write_bytes(b"here")
    for url in (str(file), file.as_uri()):
        with Locator(url).open() as opened:
            assert opened.read() == b"here"
    for url in ("s3://bucket/key", "relative/path", "file://elsewhere/x"):
        with pytest.raises(ValueError, match="not a local path"):
            Locator(url).open()


@pytest.mark.parametrize("url", ["", "a\0b", "s3://a\nb", "s3://a\x7f", "s3://a\x85", "x" * 1025])
def test_a_locator_has_no_control_characters_and_a_bound(url):
    with pytest.raises(ValueError, match="1 to 1024 bytes without control characters"):
        Locator(url)


def test_a_locator_maps_arrow_files_and_streams(tmp_path):
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    table = pyarrow.table({"x": [1, 2, 3]})
    for kind in (pyarrow.ipc.new_file, pyarrow.ipc.new_stream):
        path = str(tmp_path / kind.__name__)
        with pyarrow.OSFile(path, "wb") as sink, kind(sink, table.schema) as writer:
            writer.write(table)
        before = pyarrow.total_allocated_bytes()
        assert Locator(path).table() == table
        assert pyarrow.total_allocated_bytes() == before


def test_retry_after_wants_a_time_from_now_on():
    assert RetryAfter(1.5).seconds == 1.5
    for seconds in (-1, float("nan"), float("inf")):
        with pytest.raises(ValueError):
            RetryAfter(seconds)
