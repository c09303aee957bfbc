"""The functions of a map-reduce over Arrow: map, process and reduce in processes over the real libquiver."""

import json

import pytest
from pod import Pod

from quiver.formats import Format

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")

TASKS = """
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
