"""Whole handler processes over the real libquiver; the test plays supervisor and runner."""

import json
import struct
import time

import pytest
from pod import (
    BLOCKED,
    CANCEL_NOW,
    COMMAND,
    COMPLETE,
    DO_NOT_RETRY,
    EXCEPTION,
    INPUT_INVALID,
    NOT_FOUND,
    REPLACE,
    RETRY,
    STOP,
    TOO_LARGE,
    Pod,
)

from quiver.formats import LOCATED, Format
from quiver.packet import Packet, State

BYTES, JSON, ARROW = Format.BYTES, Format.JSON, Format.ARROW

TASKS = """
import os, sys, time
import quiver
from quiver import handler

@handler("echo")
def echo(value):
    return bytes(value) if isinstance(value, memoryview) else value

@handler("about")
def about(value, task):
    assert task.deadline is None and not task.cancelled
    return {"name": task.name, "handler": task.handler, "trial": task.trial, "allowed": task.allowed,
            "env": task.env, "pid": os.getpid()}

@handler("raise")
def fail(kind):
    def deep():
        raise {"value": ValueError, "retry": lambda w: quiver.RetryAfter(1.5, w),
               "blocked": lambda w: quiver.Blocked("tenant!acme", 1.5), "never": quiver.DoNotRetry,
               "exit": SystemExit, "input": quiver.InputInvalid, "cancelled": lambda w: quiver.Cancelled(w)}[kind](f"grün {kind}")
    deep()

@handler("return")
def give(name):
    return {"set": {1}, "large": bytes(2_000_000), "locator": quiver.Locator("/out/table.arrow", quiver.Format.ARROW),
            "none": None, "text": "grün"}[name]

@handler("locator")
def locator(where):
    return {"url": where.url, "format": where.format, "first": where.open().read(4).decode()}
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        assert running.go() == ["echo", "about", "raise", "return", "locator"]
        yield running


def failed(pod, *arguments, **more):
    """A task that does not pass, acknowledged; its result and the traceback."""
    result = pod.run(*arguments, **more)
    assert result.stage == RETRY
    traceback = pod.stderr_tail(result)
    pod.acknowledge()
    return result, traceback


@pytest.mark.parametrize("payload", [b"", b"x", bytes(range(256)) * 256], ids=["empty", "one", "many"])
def test_gives_bytes_and_takes_them_back(pod, payload):
    assert pod.done("echo", payload) == (BYTES, payload)


@pytest.mark.parametrize("value", [{"a": [1, "ü", None]}, [], "text", 7, False])
def test_gives_json_and_takes_it_back(pod, value):
    format, output = pod.done("echo", json.dumps(value).encode(), JSON)
    assert (format, json.loads(output)) == (JSON, value)


def test_tells_a_function_of_its_task_in_a_process_that_stays(pod):
    said = [
        json.loads(pod.done("about", name="set/größe-1", trial=2, allowed=5, env={"QUIVER_INDEX": "1", "E": "a=b"})[1])
        for _ in range(2)
    ]
    assert said[0] == said[1]
    assert said[0].pop("pid") == pod.process.pid
    assert said[0] == {
        "name": "set/größe-1",
        "handler": "about",
        "trial": 2,
        "allowed": 5,
        "env": {"QUIVER_INDEX": "1", "E": "a=b"},
    }


def test_an_exception_arrives_with_type_message_and_the_users_part_of_the_traceback(pod):
    result, traceback = failed(pod, "raise", b'"value"', JSON)
    assert (result.reason, result.message, result.retry_after_ms) == (EXCEPTION, "ValueError: grün value", 0)
    assert "in deep" in traceback and traceback.rstrip().endswith("ValueError: grün value")
    assert "serving.py" not in traceback


@pytest.mark.parametrize(
    "kind, reason, message, after",
    [
        ("retry", EXCEPTION, "RetryAfter: grün retry", 1500),
        ("blocked", BLOCKED, "tenant!acme", 1500),
        ("never", DO_NOT_RETRY, "DoNotRetry: grün never", 0),
        ("exit", EXCEPTION, "SystemExit: grün exit", 0),
        ("input", INPUT_INVALID, "grün input", 0),
        ("cancelled", EXCEPTION, "Cancelled: raised by the function itself", 0),
    ],
)
def test_the_type_of_an_exception_is_the_reason(pod, kind, reason, message, after):
    result, _ = failed(pod, "raise", json.dumps(kind).encode(), JSON)
    assert (result.reason, result.message, result.retry_after_ms) == (reason, message, after)


def test_a_name_that_nobody_serves_is_answered_with_those_that_are(pod):
    result, _ = failed(pod, "nobody")
    assert result.reason == NOT_FOUND
    assert result.message == "no handler 'nobody' here; served are: echo, about, raise, return, locator"


@pytest.mark.parametrize("format, words", [(JSON, "not JSON"), (ARROW, "not an Arrow stream"), (4, "format 4 is not known"), (77, "format 77")])
def test_broken_input_is_refused_with_words(pod, format, words):
    result, _ = failed(pod, "echo", b"{broken", format)
    assert result.reason == INPUT_INVALID and words in result.message


def test_an_output_that_does_not_fit_fails_with_both_sizes(pod):
    result, _ = failed(pod, "return", b'"large"', JSON)
    assert (result.reason, result.out_length) == (TOO_LARGE, 0)
    assert "2000000 bytes" in result.message and "1048576" in result.message


def test_a_result_that_json_cannot_say_is_an_exception(pod):
    result, _ = failed(pod, "return", b'"set"', JSON)
    assert result.reason == EXCEPTION and "set is not JSON serializable" in result.message


def test_returns_nothing_text_and_locators(pod):
    assert pod.done("return", b'"none"', JSON) == (BYTES, b"")
    assert pod.done("return", b'"text"', JSON) == (JSON, '"grün"'.encode())
    assert pod.done("return", b'"locator"', JSON) == (ARROW | LOCATED, b"/out/table.arrow")


def test_a_locator_is_given_instead_of_the_data(pod, tmp_path):
    file = tmp_path / "data"
    file.write_bytes(b"here and more")
    _, output = pod.done("locator", str(file).encode(), ARROW, located=True)
    assert json.loads(output) == {"url": str(file), "format": 2, "first": "here"}


def test_a_command_is_left_to_the_runner_and_the_turn_comes_back(pod):
    generation = pod.dispatch("/bin/true", kind=1)
    assert pod.message() == (COMMAND, generation, "")
    struct.pack_into("<Q", pod.exec, 4096, generation << 8 | 1)  # the runner ran it; the slot is ready
    pod.send(16, 0)
    assert pod.done("echo", b"after") == (BYTES, b"after")


# ---- Arrow ----

ARROW_TASKS = """
import pyarrow, pyarrow.compute
from quiver import handler

@handler("where")
def where(table):
    maps = [line.split() for line in open("/proc/self/maps") if "task-0.in" in line]
    ranges = [tuple(int(x, 16) for x in entry[0].split("-")) for entry in maps]
    buffers = [b for c in table.columns for chunk in c.chunks for b in chunk.buffers() if b is not None]
    return {"rows": table.num_rows, "buffers": len(buffers),
            "inside": all(any(a <= b.address and b.address + b.size <= e for a, e in ranges) for b in buffers)}

@handler("double")
def double(table):
    return table.append_column("y", pyarrow.compute.multiply(table["x"], 2))

@handler("batch", arrow="batch")
def batch(one):
    return [type(one).__name__, one.num_rows, one.column(0)[7].as_py()]

@handler("batches", arrow="reader")
def batches(reader):
    return [batch.num_rows for batch in reader]
"""


def stream(table):
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    sink = pyarrow.BufferOutputStream()
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table, max_chunksize=1000)
    return sink.getvalue().to_pybytes()


@pytest.fixture(scope="module")
def columns():
    with Pod(ARROW_TASKS) as running:
        running.go()
        yield running


@pytest.fixture(scope="module")
def table():
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    return pyarrow.table({"x": list(range(3000)), "s": ["text"] * 3000})


def test_a_table_lies_in_the_mapping_all_of_it(columns, table):
    for _ in range(3):  # what a task leaves behind does not disturb the next
        _, output = columns.done("where", stream(table), ARROW)
        assert json.loads(output) == {"rows": 3000, "buffers": 9, "inside": True}


def test_a_table_is_returned_as_a_stream(columns, table):
    import pyarrow

    format, output = columns.done("double", stream(table), ARROW)
    assert format == ARROW
    assert pyarrow.ipc.open_stream(output).read_all()["y"].to_pylist() == list(range(0, 6000, 2))


def test_batches_come_one_after_the_other_on_wish(columns, table):
    assert columns.done("batches", stream(table), ARROW) == (JSON, b"[1000,1000,1000]")


def test_one_batch_comes_as_a_batch_on_wish(columns, table):
    assert columns.done("batch", stream(table.slice(0, 1000)), ARROW) == (JSON, b'["RecordBatch",1000,7]')
    result, _ = failed(columns, "batch", stream(table), ARROW)
    assert result.reason == INPUT_INVALID and "more than one record batch" in result.message


# ---- memory that is kept ----

KEEPING = """
import gc
import quiver
gc.disable()
kept = []

@quiver.handler("view")
def view(data):
    kept.append(data[1:])

@quiver.handler("array")
def array(table):
    kept.append(table["x"])

@quiver.handler("cycle")
def cycle(data):
    loop = [data[1:]]
    loop.append(loop)

@quiver.handler("copy")
def copy(data):
    kept.append(bytes(data[1:]))

@quiver.handler("raise")
def fail(data):
    part = data[1:]
    raise ValueError(len(part))
"""


@pytest.mark.parametrize("name, format", [("view", BYTES), ("array", ARROW)])
def test_memory_kept_after_return_is_found_and_the_process_replaced(name, format, table):
    with Pod(KEEPING) as pod:
        pod.go()
        result = pod.run(name, stream(table), format)
        assert result.stage == COMPLETE  # the result itself is good
        pod._store(4)
        assert pod.message() == (REPLACE, 1, "")
        assert pod.ended() == 0
        assert "kept memory of its input" in pod.stderr()


def test_garbage_copies_and_tracebacks_are_no_reason_to_replace():
    with Pod(KEEPING) as pod:
        pod.go()
        data = bytes(100_000)
        pod.done("cycle", data)
        pod.done("copy", data)
        assert failed(pod, "raise", data)[0].message == "ValueError: 99999"
        pod.done("view", b"so small that it is a copy")
        pod.done("copy", data)


# ---- progress, time, cancel, stop ----

WATCHED = """
import os, sys, threading, time
import quiver

@quiver.handler("step")
def step(seconds, task):
    assert task.deadline is not None
    task.progress(3, 10)
    task.extend(seconds)
    task.log.warning("at %d", 3)
    while task.packet().state.name == "RUNNING":
        pass

@quiver.handler("spin")
def spin(_, task):
    try:
        while True:
            pass
    finally:
        print("cleaned up", file=sys.stderr, flush=True)

@quiver.handler("ask")
def ask(_, task):
    while not task.cancelled:
        pass
    return "late"

@quiver.handler("wait")
def wait(_):
    threading.Event().wait(0.02)
    return "in time"

@quiver.handler("gate")
def gate(path):
    while not os.path.exists(path):
        time.sleep(0.005)
    return "through"

@quiver.handler("echo")
def echo(value):
    return value
"""


@pytest.fixture
def watched():
    with Pod(WATCHED) as running:
        running.go()
        yield running


def test_progress_extension_and_log_are_told_while_it_runs(watched):
    deadline = time.monotonic_ns() + 60_000_000_000
    watched.dispatch("step", b"100", JSON, deadline=deadline, name="set/step")
    running = watched.await_result(lambda r: r.wanted_deadline > deadline)
    assert (running.progress, running.total) == (3, 10)
    watched.cancel()
    watched.ready()
    assert "WARNING at 3" in watched.stderr()


@pytest.mark.parametrize("name", ["spin", "ask"])
def test_a_cancelled_task_stops_within_50_ms_and_the_process_goes_on(watched, name):
    pid, took = watched.process.pid, []
    # The best counts: a machine that is busy with something else says nothing about the SDK, and gets more tries.
    while len(took) < 5 or (min(took) >= 0.05 and len(took) < 50):
        watched.dispatch(name, b"0", JSON)
        watched.running()
        began = time.monotonic()
        watched.cancel()
        watched.ready()
        took.append(time.monotonic() - began)
    assert min(took) < 0.05
    assert watched.done("echo", b"1", JSON) == (JSON, b"1")
    assert watched.process.pid == pid and watched.process.poll() is None
    assert (name == "spin") == ("cleaned up" in watched.stderr())


def test_a_cancel_that_comes_late_hits_no_other_task(watched):
    for _ in range(200):
        assert watched.run("echo", b"1", JSON).stage == COMPLETE
        watched.send(CANCEL_NOW, watched.generation)  # its task has ended, or is about to
        watched.acknowledge()
    assert watched.done("wait", b"1", JSON) == (JSON, b'"in time"')


def test_a_task_cancelled_at_its_very_beginning_leaves_the_slot_free(watched):
    for _ in range(50):
        watched.dispatch("spin", b"0", JSON)
        watched.cancel()
        watched.called_off()
    assert watched.done("echo", b"1", JSON) == (JSON, b"1")


def test_ends_when_the_worker_ends(watched):
    watched.done("echo", b"1", JSON)
    watched.send(STOP, 0)
    assert watched.ended() == 0


def test_ends_when_the_runner_has_gone(watched):
    watched.turn.close()
    assert watched.ended() == 0


def test_finishes_what_runs_before_it_ends(watched):
    gate = watched.root / "on"
    watched.dispatch("gate", json.dumps(str(gate)).encode(), JSON)
    watched.running()
    watched.send(STOP, 0)
    gate.touch()
    assert watched.result().stage == COMPLETE
    watched.acknowledge()
    assert watched.ended() == 0


def test_the_snapshot_of_its_slot_is_the_seeds_packet():
    source = "import quiver\n@quiver.handler('packet')\ndef packet(_, task): return task.packet().encode()\n"
    with Pod(source) as pod:
        pod.go()
        _, output = pod.done("packet", b"abc", trial=2, allowed=3, name="set/a")
        packet = Packet.decode(output)
        assert packet.state is State.RUNNING
        assert (packet.trial, packet.allowed, packet.kind, packet.length, packet.name) == (2, 3, 2, 3, "set/a")


def test_refuses_slots_of_another_major_version_with_words():
    with Pod("import quiver\nquiver.handler('x')(len)\n", major=2) as pod:
        assert pod.ended() == 1
        assert "version 2" in pod.stderr()


def test_says_what_is_wrong_when_it_is_not_started_by_a_worker():
    with Pod("import quiver\nquiver.handler('x')(len)\n", env={"QUIVER_TURN_FD": ""}) as pod:
        assert pod.ended() == 1
        assert "quiver: QUIVER_TURN_FD" in pod.stderr()
