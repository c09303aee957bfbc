"""Several tasks of one dispatch, one after the other, over the real libquiver."""

import json
import time

import pytest
from pod import ACKNOWLEDGE, COMPLETE, EXCEPTION, READY, REPLACE, RETRY, STOP, TOO_LARGE, Pod

from quiver.formats import LOCATED, Format

BYTES, JSON, ARROW = Format.BYTES, Format.JSON, Format.ARROW

TASKS = """
import os, time
import quiver
kept = []

@quiver.handler("about")
def about(value, task):
    return {"value": value, "name": task.name, "index": task.env["INDEX"], "packet": task.packet().name}

@quiver.handler("odd")
def odd(value):
    if value % 2 == 0:
        raise ValueError(f"{value} is even")

@quiver.handler("size")
def size(value):
    return bytes(value)

@quiver.handler("give")
def give(value):
    return {"bytes": bytearray(b"abc"), "json": [1], "none": None, "locator": quiver.Locator("/out/x")}[value]

@quiver.handler("view")
def view(data):
    if data[:1] == b"k":
        kept.append(data[1:])
    return data[:1]

@quiver.handler("gate")
def gate(path):
    open(path + ".begun", "w").close()
    while not os.path.exists(path):
        time.sleep(0.001)

@quiver.handler("spin")
def spin(task):
    while True:
        pass
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        running.go()
        assert running.minor == 4
        yield running


def values(handler, *given):
    return [{"handler": handler, "payload": json.dumps(v).encode(), "format": JSON} for v in given]


def test_tasks_come_one_after_the_other_each_with_its_own_input_and_variables(pod):
    tasks = [{**task, "env": {"INDEX": i}} for i, task in enumerate(values("about", *range(64)))]
    result, outcomes = pod.run_batch(tasks)
    assert (result.stage, result.done, result.whole) == (COMPLETE, 64, False)
    for i, outcome in enumerate(outcomes):
        assert (outcome.format, outcome.reason) == (JSON, 0)
        name = f"set/task-{i}"
        assert json.loads(outcome.output) == {"value": i, "name": name, "index": str(i), "packet": name}
    assert outcomes[0].ended >= result.started and outcomes[63].ended <= result.ended
    pod.acknowledge()


def test_a_failure_is_its_tasks_and_those_behind_it_are_not_begun(pod):
    result, outcomes = pod.run_batch(values("odd", 1, 3, 4, 5))
    assert (result.stage, result.done, result.reason, result.message) == (RETRY, 2, EXCEPTION, "ValueError: 4 is even")
    assert "in odd" in pod.stderr_tail(result)
    assert [v.reason for v in outcomes] == [0, 0]
    pod.acknowledge()


def test_outputs_of_every_kind_lie_side_by_side(pod):
    _, outcomes = pod.run_batch(values("give", "bytes", "json", "locator", "none", "bytes"))
    assert [(v.format, v.output) for v in outcomes] == [
        (BYTES, b"abc"), (JSON, b"[1]"), (BYTES | LOCATED, b"/out/x"), (BYTES, b""), (BYTES, b"abc")]
    pod.acknowledge()


def test_a_result_without_room_behind_others_goes_back_and_alone_it_fails(pod):
    result, outcomes = pod.run_batch(values("size", 600, 600, 1), out_limit=1000)
    assert (result.stage, result.done, result.reason) == (COMPLETE, 1, 0) and len(outcomes[0].output) == 600
    pod.acknowledge()
    result, _ = pod.run_batch(values("size", 0, 1001), out_limit=1000)
    assert (result.stage, result.done, result.reason) == (RETRY, 1, TOO_LARGE)
    assert "1001 bytes, the slot takes 1000" in result.message
    pod.acknowledge()


def test_a_task_alone_comes_after_a_batch(pod):
    pod.run_batch(values("odd", 1, 3))
    pod.acknowledge()
    assert pod.done("size", b"3", JSON) == (BYTES, bytes(3))


@pytest.mark.parametrize("large", [20_000, 100_001], ids=["within a page", "across"])
def test_mapped_inputs_are_each_tasks_own(pod, large):
    tasks = [{"handler": "view", "payload": bytes([65 + i]) * large} for i in range(5)]
    _, outcomes = pod.run_batch(tasks)
    assert [v.output for v in outcomes] == [b"A", b"B", b"C", b"D", b"E"]
    pod.acknowledge()


def test_a_table_lies_in_the_mapping_wherever_its_task_stands():
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    source = """
import quiver

@quiver.handler("where")
def where(table):
    maps = [line.split()[0].split("-") for line in open("/proc/self/maps") if "task-0.in" in line]
    ranges = [(int(a, 16), int(e, 16)) for a, e in maps]
    buffers = [b for column in table.columns for chunk in column.chunks for b in chunk.buffers() if b is not None]
    return [table.num_rows, all(any(a <= b.address and b.address + b.size <= e for a, e in ranges) for b in buffers)]
"""
    def stream(rows):
        sink = pyarrow.BufferOutputStream()
        table = pyarrow.table({"x": list(range(rows)), "s": ["text"] * rows})
        with pyarrow.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return sink.getvalue().to_pybytes()

    with Pod(source) as pod:
        pod.go()
        tasks = [{"handler": "where", "payload": stream(n), "format": ARROW} for n in (1, 1000, 10, 5000)]
        _, outcomes = pod.run_batch(tasks)
        assert [json.loads(v.output) for v in outcomes] == [[1, True], [1000, True], [10, True], [5000, True]]
        pod.acknowledge()


def test_a_process_that_kept_memory_leaves_and_what_it_had_not_begun_goes_back():
    with Pod(TASKS) as pod:
        pod.go()
        tasks = [{"handler": "view", "payload": kind * 20_000} for kind in (b"a", b"k", b"c")]
        result, outcomes = pod.run_batch(tasks)
        assert (result.stage, result.done) == (COMPLETE, 2) and outcomes[1].output == b"k"
        pod._store(ACKNOWLEDGE)
        assert pod.message() == (REPLACE, 1, "")
        assert pod.ended() == 0


def test_nothing_is_begun_once_the_worker_ends():
    with Pod(TASKS) as pod:
        pod.go()
        gate = str(pod.root / "on")
        pod.dispatch_batch(values("gate", gate, gate, gate))
        while not (pod.root / "on.begun").exists():
            time.sleep(0.001)
        pod.send(STOP, 0)
        time.sleep(0.05)  # it is read by a thread of the handler
        open(gate, "w").close()
        result = pod.result()
        assert (result.stage, result.done) == (COMPLETE, 1)
        pod.acknowledge()
        assert pod.ended() == 0


def test_a_cancel_in_the_middle_leaves_the_outcomes_and_the_process(pod):
    pod.dispatch_batch([*values("odd", 1, 3), *values("spin", 0, 0)])
    pod.await_result(lambda r: r.done == 2)
    pod.cancel()
    result = pod.await_result(lambda r: r.generation == pod.generation and r.stage == READY)
    assert (result.done, result.reason) == (2, 0)
    assert pod.done("size", b"3", JSON) == (BYTES, bytes(3))


def test_a_task_that_is_out_of_time_is_the_one_to_blame(pod):
    pod.dispatch_batch([*values("odd", 1), *values("spin", 0), *values("odd", 1)], limit=50_000_000)
    pod.await_result(lambda r: r.done == 1)
    time.sleep(0.06)
    pod.send(17, pod.generation)
    result = pod.result()
    assert (result.stage, result.done, result.reason) == (RETRY, 1, 10)
    pod.acknowledge()


def test_an_agent_that_knows_no_batches_is_not_told_of_them():
    with Pod(TASKS, env={"QUIVER_MINOR": "1"}) as pod:
        pod.go()
        assert pod.minor == 0
        assert pod.done("size", b"3", JSON) == (BYTES, bytes(3))
