"""The functions of a map-reduce over Arrow: map, process and reduce in processes over the real libquiver."""

import base64
import json
import os

import pytest
from pod import DO_NOT_RETRY, INPUT_INVALID, Pod

from quiver.formats import LOCATED, Format

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")

LARGE = 100_000

TASKS = """
import os
import resource
import pyarrow
import pyarrow.compute
import quiver

@quiver.handler("map")
def split(rows):
    for at in range(0, rows, 1000):
        yield pyarrow.record_batch({"n": range(at, min(at + 1000, rows))})

def inside(batch):
    with open("/proc/self/maps") as maps:
        ranges = [[int(end, 16) for end in line.split()[0].split("-")] for line in maps if line.rstrip().endswith("task-0.in")]
    return all(any(a <= b.address and b.address + b.size <= e for a, e in ranges) for c in batch for b in c.buffers() if b)

@quiver.handler("process", arrow="batch")
def process(factor, batch, task):
    assert isinstance(batch, pyarrow.RecordBatch)
    return pyarrow.record_batch({"n": pyarrow.compute.multiply(batch["n"], factor), "inside": [inside(batch)] * len(batch)})

@quiver.handler("reduce", arrow="reader")
def reduce(reader):
    return [[batch.num_rows, batch["n"][0].as_py(), inside(batch)] for batch in reader]

@quiver.handler("large", arrow="batch")
def large(batch):
    return pyarrow.record_batch({"n": range(batch["n"][0].as_py())})

@quiver.handler("large together", batch=True, arrow="batch")
def large_together(batches):
    return [large(batch) for batch in batches]

@quiver.handler("sizes", batch=True)
def sizes(given):
    return [[value[0], value[1].num_rows] for value in given]

@quiver.handler("sums", arrow="reader")
def sums(scale, reader):
    return [pyarrow.compute.sum(batch["n"]).as_py() * scale for batch in reader]

@quiver.handler("sum")
def total(table):
    return pyarrow.compute.sum(table["n"]).as_py()

def mapped():
    with open("/proc/self/maps") as maps:
        return len({line.split(maxsplit=5)[5] for line in maps if ".arrow" in line})

@quiver.handler("walk", arrow="reader")
def walk(reader):
    size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (size + (24 << 20), -1))
    resource.setrlimit(resource.RLIMIT_DATA, (256 << 20, 256 << 20))
    try:
        rows = most = 0
        for batch in reader:
            rows += len(batch)
            most = max(most, mapped())
            del batch
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
    return {"rows": rows, "mapped": most, "left": mapped()}
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        running.go()
        yield running


def stream(*batches):
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, batches[0].schema) as writer:
        for batch in batches:
            writer.write(batch)
    return sink.getvalue().to_pybytes()


def test_map_yields_batches(pod):
    format, output = pod.done("map", b"[2500]", Format.ARGUMENTS)
    assert format == Format.ARROW
    assert [batch.num_rows for batch in pyarrow.ipc.open_stream(output)] == [1000, 1000, 500]


def test_process_gets_its_batch_in_the_slot_behind_its_arguments(pod):
    batch = pyarrow.record_batch({"n": range(1000)})
    format, output = pod.done("process", stream(batch), Format.ARROW, env={"QUIVER_ARGS": "[3]", "QUIVER_INDEX": "7"})
    assert format == Format.ARROW
    table = pyarrow.ipc.open_stream(output).read_all()
    assert table["n"].to_pylist() == list(range(0, 3000, 3))
    assert all(table["inside"].to_pylist())


def test_reduce_gets_the_batches_one_by_one(pod):
    batches = [pyarrow.record_batch({"n": [n] * n}) for n in (1, 2, 3)]
    _, output = pod.done("reduce", stream(*batches), Format.ARROW)
    assert json.loads(output) == [[1, 1, True], [2, 2, True], [3, 3, True]]


def test_too_few_arguments_are_told_in_words(pod):
    result = pod.run("process", stream(pyarrow.record_batch({"n": [1]})), Format.ARROW, env={"QUIVER_ARGS": "[1,2]"})
    assert "3 arguments for handler 'process'" in result.message
    pod.acknowledge()


def number(n):
    return stream(pyarrow.record_batch({"n": [n]}))


def test_a_large_result_is_a_file_of_the_job(pod, tmp_path):
    file = tmp_path / "job" / "7-session-3.arrow"
    format, output = pod.done("large", number(LARGE), Format.ARROW, env={"QUIVER_SCRATCH": str(file)})
    assert (format, output.decode()) == (Format.ARROW | LOCATED, str(file))
    with pyarrow.memory_map(str(file)) as source:
        assert pyarrow.ipc.open_stream(source).read_all()["n"].to_pylist() == list(range(LARGE))
    assert os.listdir(file.parent) == [file.name]


def test_a_short_result_travels(pod, tmp_path):
    format, output = pod.done("large", number(3), Format.ARROW, env={"QUIVER_SCRATCH": str(tmp_path / "job" / "a.arrow")})
    assert format == Format.ARROW and pyarrow.ipc.open_stream(output).read_all()["n"].to_pylist() == [0, 1, 2]
    assert os.listdir(tmp_path) == []


def test_each_task_of_a_call_has_a_file_of_its_own(pod, tmp_path):
    tasks = [
        {"handler": "large together", "payload": number(n), "format": Format.ARROW,
         "env": {"QUIVER_SCRATCH": str(tmp_path / "job" / f"{i}.arrow")}}
        for i, n in enumerate([LARGE, 1, LARGE])
    ]
    result, outcomes = pod.run_batch(tasks)
    assert [outcome.format for outcome in outcomes] == [Format.ARROW | LOCATED, Format.ARROW, Format.ARROW | LOCATED]
    assert sorted(os.listdir(tmp_path / "job")) == ["0.arrow", "2.arrow"]
    pod.acknowledge()


def test_a_late_writer_leaves_nothing(pod, tmp_path):
    (tmp_path / ".over").mkdir()
    (tmp_path / ".over" / "job").touch()
    result = pod.run("large", number(LARGE), Format.ARROW, env={"QUIVER_SCRATCH": str(tmp_path / "job" / "a.arrow")})
    assert result.reason == DO_NOT_RETRY and "is over" in result.message
    pod.acknowledge()
    assert os.listdir(tmp_path) == [".over"]


def references(tmp_path, *batches):
    """A list of files, and of one short stream at its end."""
    items = []
    for i, batch in enumerate(batches[:-1]):
        path = tmp_path / f"{i}.arrow"
        path.write_bytes(stream(batch))
        items.append({"locator": str(path), "format": "Arrow"})
    items.append({"base64": base64.b64encode(stream(batches[-1])).decode(), "format": "Arrow"})
    return items


def reduced(pod, handler, *arguments):
    """What it returns for these references."""
    _, output = pod.done(handler, json.dumps(arguments).encode(), Format.ARGUMENTS, env={"QUIVER_REFERENCES": "1"})
    return json.loads(output)


def test_results_in_files_are_read_in_their_order(pod, tmp_path):
    items = references(tmp_path, *(pyarrow.record_batch({"n": [n, n]}) for n in (3, 1, 2)))
    assert reduced(pod, "sums", 10, items) == [60, 20, 40]
    assert reduced(pod, "sum", items) == 12


def test_64_mib_are_reduced_one_file_at_a_time_in_a_slot_of_1_mib(pod, tmp_path):
    rows = 4 << 20 >> 3
    batch = pyarrow.record_batch({"n": pyarrow.array(range(rows), pyarrow.int64())})
    items = references(tmp_path, *[batch] * 16, pyarrow.record_batch({"n": [1]}))
    assert sum(file.stat().st_size for file in tmp_path.iterdir()) >= 64 << 20
    assert reduced(pod, "walk", items) == {"rows": 16 * rows + 1, "mapped": 1, "left": 0}


def test_files_of_another_schema_are_refused_with_both(pod, tmp_path):
    items = references(tmp_path, *(pyarrow.record_batch({name: [1]}) for name in "nmn"))
    result = pod.run("sums", json.dumps([1, items]).encode(), Format.ARGUMENTS, env={"QUIVER_REFERENCES": "1"})
    assert "0.arrow has the schema (n: int64)" in result.message and "1.arrow has (m: int64)" in result.message
    pod.acknowledge()


def test_a_file_that_is_gone_is_told_in_words(pod, tmp_path):
    items = [{"locator": str(tmp_path / "none.arrow"), "format": "Arrow"}]
    result = pod.run("sum", json.dumps([items]).encode(), Format.ARGUMENTS, env={"QUIVER_REFERENCES": "1"})
    assert result.reason == INPUT_INVALID and "none.arrow: No such file" in result.message
    pod.acknowledge()


def test_a_function_of_many_tasks_gets_arguments_and_streams_as_lists(pod, tmp_path):
    items = references(tmp_path, *(pyarrow.record_batch({"n": [n, n]}) for n in (3, 1)))
    tasks = [
        {"handler": "sizes", "payload": number(1), "format": Format.ARROW, "env": {"QUIVER_ARGS": "[7]"}},
        {"handler": "sizes", "payload": json.dumps([8, items]).encode(), "format": Format.ARGUMENTS,
         "env": {"QUIVER_REFERENCES": "1"}},
    ]
    result, outcomes = pod.run_batch(tasks)
    assert [json.loads(outcome.output) for outcome in outcomes] == [[7, 1], [8, 4]]
    pod.acknowledge()
