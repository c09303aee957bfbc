"""Functions that take all tasks of a dispatch in one call."""

import json
import time

import pytest
from pod import COMPLETE, DO_NOT_RETRY, EXCEPTION, INPUT_INVALID, READY, REPLACE, RETRY, TOO_LARGE, Pod

from quiver.formats import LOCATED, Format

BYTES, JSON, ARROW = Format.BYTES, Format.JSON, Format.ARROW

TASKS = """
import time
import quiver
kept = []

@quiver.handler("double", batch=True)
def double(values):
    return [2 * v for v in values]

@quiver.handler("about", batch=True)
def about(values, tasks):
    assert len(values) == len(tasks)
    return [{"value": v, "name": t.name, "handler": t.handler, "index": t.env["INDEX"], "trial": t.trial,
             "allowed": t.allowed, "of": len(tasks), "limited": t.deadline is not None} for v, t in zip(values, tasks)]

@quiver.handler("mixed", batch=True)
def mixed(values):
    return tuple({"value": ValueError(f"no {i}"), "retry": quiver.RetryAfter(1.5, "later"), "never": quiver.DoNotRetry("never"),
                  "set": {1}, "none": None, "bytes": b"abc", "array": bytearray(b"abc"),
                  "locator": quiver.Locator("/out/x")}.get(v, v) for i, v in enumerate(values))

@quiver.handler("count", batch=True)
def count(values):
    return values[0]

@quiver.handler("raise", batch=True)
def fail(values):
    raise {"value": ValueError, "never": quiver.DoNotRetry}[values[0]](f"all {len(values)}")

@quiver.handler("view", batch=True)
def view(values):
    kept.extend(v[1:] for v in values if v[:1] == b"k")
    return [v[:1] for v in values]

@quiver.handler("wait", batch=True)
def wait(values, tasks):
    while True:
        time.sleep(0.001)

@quiver.handler("size", batch=True)
def size(values):
    return [bytes(v) for v in values]

@quiver.handler("mutual", batch=True)
def log(values, tasks):
    tasks[0].log.warning("seen")
    print(tasks[1].packet().name)
    return values
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        running.go()
        yield running


def values(handler, *given, **more):
    return [{"handler": handler, "payload": json.dumps(v).encode(), "format": JSON, **more} for v in given]


def run(pod, tasks, **more):
    result, outcomes = pod.run_batch(tasks, **more)
    traceback = pod.stderr_tail(result)
    pod.acknowledge()
    return result, outcomes, traceback


def test_one_call_takes_all_tasks_and_answers_each(pod):
    result, outcomes, _ = run(pod, values("double", *range(64)))
    assert (result.stage, result.done, result.whole) == (COMPLETE, 64, True)
    assert [(v.format, json.loads(v.output)) for v in outcomes] == [(JSON, 2 * i) for i in range(64)]


def test_a_task_alone_is_a_list_of_one(pod):
    assert pod.done("double", b"21", JSON) == (JSON, b"42")
    result = pod.run("raise", b'["value"]'[1:-1], JSON)
    assert (result.stage, result.reason, result.message) == (RETRY, EXCEPTION, "ValueError: all 1")
    assert "in fail" in pod.stderr_tail(result)
    pod.acknowledge()
    result = pod.run("mixed", b'"retry"', JSON)
    assert (result.reason, result.message, result.retry_after_ms) == (EXCEPTION, "RetryAfter: later", 1500)
    assert "RetryAfter: later" in pod.stderr_tail(result)
    pod.acknowledge()
    assert pod.done("mixed", b'"locator"', JSON) == (BYTES | LOCATED, b"/out/x")
    result, outcomes, _ = run(pod, values("double", 1))
    assert (result.done, result.whole, outcomes[0].output) == (1, False, b"2")


def test_a_function_that_wants_them_gets_the_tasks(pod):
    tasks = [{**task, "env": {"INDEX": i}, "trial": i + 1} for i, task in enumerate(values("about", *"abc"))]
    _, outcomes, _ = run(pod, tasks, limit=10**11)
    for i, outcome in enumerate(outcomes):
        assert json.loads(outcome.output) == {
            "value": "abc"[i], "name": f"set/task-{i}", "handler": "about", "index": str(i), "trial": i + 1, "allowed": 3,
            "of": 3, "limited": True}
    tasks[0]["payload"], tasks[0]["env"] = b"{broken", {}
    result, outcomes, _ = run(pod, tasks)
    assert (result.stage, outcomes[0].reason) == (COMPLETE, INPUT_INVALID) and "not JSON" in outcomes[0].message
    assert [json.loads(v.output)["of"] for v in outcomes[1:]] == [2, 2]


def test_nothing_that_can_be_read_is_no_call(pod):
    result, outcomes, _ = run(pod, [{"handler": "count", "payload": b"{", "format": JSON}] * 3)
    assert (result.stage, [v.reason for v in outcomes]) == (COMPLETE, [INPUT_INVALID] * 3)


def test_tasks_pass_and_fail_each_for_itself(pod):
    given = ["a", "value", "b", "c", "retry", "never", "set", "none", "bytes", "array", "locator", "d"]
    result, outcomes, _ = run(pod, values("mixed", *given))
    assert (result.stage, result.done, result.whole, result.reason) == (COMPLETE, 12, True, 0)
    said = [(v.format, v.output) if v.reason == 0 else (v.reason, v.message, v.retry_after_ms) for v in outcomes]
    assert said == [
        (JSON, b'"a"'), (EXCEPTION, "ValueError: no 1", 0), (JSON, b'"b"'), (JSON, b'"c"'),
        (EXCEPTION, "RetryAfter: later", 1500), (DO_NOT_RETRY, "DoNotRetry: never", 0),
        (EXCEPTION, "TypeError: Object of type set is not JSON serializable", 0), (BYTES, b""), (BYTES, b"abc"),
        (BYTES, b"abc"), (BYTES | LOCATED, b"/out/x"), (JSON, b'"d"')]


@pytest.mark.parametrize(
    "answer, words",
    [
        ([1, 2], "ValueError: handler 'count' returned 2 outcomes for 3 tasks"),
        ({"a": 1}, "TypeError: handler 'count' returned dict: it takes several tasks"),
        (None, "TypeError: handler 'count' returned NoneType"),
    ],
)
def test_a_wrong_number_of_outcomes_fails_the_call(pod, answer, words):
    result, _, _ = run(pod, values("count", answer, 0, 0))
    assert (result.stage, result.done, result.whole, result.reason) == (RETRY, 0, True, EXCEPTION)
    assert result.message.startswith(words)


@pytest.mark.parametrize("kind, reason", [("value", EXCEPTION), ("never", DO_NOT_RETRY)])
def test_an_exception_of_the_call_is_no_task_in_particulars(pod, kind, reason):
    result, _, traceback = run(pod, values("raise", kind, 0, 0))
    assert (result.stage, result.done, result.whole, result.reason) == (RETRY, 0, True, reason)
    assert result.message.endswith("all 3") and "in fail" in traceback and "batches.py" not in traceback


def test_a_name_that_two_functions_share_is_none_and_two_functions_are_no_call(pod):
    result, outcomes, _ = run(pod, [*values("double", 1, 2), *values("about", 3, env={"INDEX": 0})])
    assert (result.done, result.whole) == (3, False)  # the last one alone
    assert [v.output[:1] for v in outcomes] == [b"2", b"4", b"{"]


def test_results_that_do_not_fit_go_back_and_one_that_never_does_fails(pod):
    result, outcomes, _ = run(pod, values("size", 400, 600, 1, 2), out_limit=1000)
    assert [len(v.output) for v in outcomes] == [400, 600] and (result.stage, result.done) == (COMPLETE, 2)
    result, outcomes, _ = run(pod, values("size", 1001, 400), out_limit=1000)
    assert (result.stage, outcomes[0].reason, len(outcomes[1].output)) == (COMPLETE, TOO_LARGE, 400)
    assert "1001 bytes, the slot takes 1000" in outcomes[0].message


@pytest.mark.parametrize("large", [1, 20_000, 100_001])
def test_bytes_are_parts_of_one_mapping(pod, large):
    _, outcomes, _ = run(pod, [{"handler": "view", "payload": bytes([65 + i]) * large} for i in range(5)])
    assert [v.output for v in outcomes] == [b"A", b"B", b"C", b"D", b"E"]


def test_memory_kept_after_the_call_is_found():
    with Pod(TASKS) as pod:
        pod.go()
        result, outcomes = pod.run_batch([{"handler": "view", "payload": kind * 20_000} for kind in (b"a", b"k")])
        assert (result.stage, result.done) == (COMPLETE, 2)
        pod._store(4)
        assert pod.message() == (REPLACE, 1, "")
        assert pod.ended() == 0
        assert "set/task-0 kept memory" in pod.stderr()


def test_a_cancel_stops_the_call_and_nobody_has_to_run_alone(pod):
    pod.dispatch_batch(values("wait", 1, 2, 3))
    pod.running()
    time.sleep(0.02)
    pod.cancel()
    result = pod.await_result(lambda r: r.generation == pod.generation and r.stage == READY)
    assert (result.done, result.whole) == (0, False)
    assert pod.done("double", b"21", JSON) == (JSON, b"42")


def test_a_call_out_of_time_is_no_task_in_particulars(pod):
    pod.dispatch_batch(values("wait", 1, 2, 3), limit=20_000_000)
    pod.running()
    time.sleep(0.08)
    pod.send(17, pod.generation)
    result = pod.result()
    assert (result.stage, result.done, result.whole, result.reason) == (RETRY, 0, True, 10)
    pod.acknowledge()


def test_log_records_name_the_call():
    with Pod("import logging, sys\nlogging.basicConfig(format='[%(task)s] %(message)s')\n" + TASKS) as pod:
        pod.go()
        run(pod, values("mutual", 1, 2, 3))
        assert "[set/task-0 and 2 more] seen" in pod.stderr()


# ---- tables ----

TABLES = """
import pyarrow as pa, pyarrow.compute as pc
from quiver import handler

@handler("add", batch="table")
def add(table):
    return pc.add(table["x"], 1)

@handler("rows", batch="table")
def rows(table, tasks):
    return table.append_column("name", pa.array([t.name for t in tasks]))

@handler("batch", batch="table")
def batch(table):
    return pa.RecordBatch.from_pylist([{"sum": table["x"].to_pylist()[i]} for i in range(table.num_rows)])

@handler("list", batch="table")
def values(table):
    return [ValueError("odd") if x % 2 else x for x in table["x"].to_pylist()]

@handler("types", batch="table")
def types(table):
    return [str(table.schema.to_string())] * table.num_rows

@handler("short", batch="table")
def short(table):
    return table.slice(1)
"""


@pytest.fixture(scope="module")
def tables():
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    with Pod(TABLES) as running:
        running.go()
        yield running


def objects(handler, *xs):
    return values(handler, *({"x": x} for x in xs))


def test_objects_are_one_table_and_an_array_is_their_results(tables):
    result, outcomes, _ = run(tables, objects("add", *range(64)))
    assert (result.stage, result.done, result.whole) == (COMPLETE, 64, True)
    assert [v.output for v in outcomes] == [str(i + 1).encode() for i in range(64)]
    assert tables.done("add", b' {"x": 41}\n', JSON) == (JSON, b"42")


def test_rows_of_a_result_are_objects(tables):
    _, outcomes, _ = run(tables, objects("rows", 1, 2))
    assert [json.loads(v.output) for v in outcomes] == [{"x": 1, "name": "set/task-0"}, {"x": 2, "name": "set/task-1"}]
    _, outcomes, _ = run(tables, objects("batch", 1, 2))
    assert [v.output for v in outcomes] == [b'{"sum":1}', b'{"sum":2}']
    _, outcomes, _ = run(tables, objects("list", 1, 2))
    assert [(v.reason, v.output) for v in outcomes] == [(EXCEPTION, b""), (0, b"2")]


def test_columns_are_those_of_all_objects_and_texts_stay_texts(tables):
    given = [{"a": 1}, {"a": 2.5, "at": "2020-01-01"}, {"s": "ü"}, {}]
    _, outcomes, _ = run(tables, values("types", *given))
    assert json.loads(outcomes[0].output).split("\n") == ["a: double", "at: string", "s: string"]
    _, outcomes, _ = run(tables, values("types", {}, {}))
    assert [v.output for v in outcomes] == [b'""', b'""']  # no column, and still a row for each


def test_one_row_streams_are_one_table(tables):
    import pyarrow

    def task(handler, **columns):
        sink = pyarrow.BufferOutputStream()
        table = pyarrow.table(columns)
        with pyarrow.ipc.new_stream(sink, table.schema) as writer:
            writer.write_table(table)
        return {"handler": handler, "payload": sink.getvalue().to_pybytes(), "format": ARROW}

    _, outcomes, _ = run(tables, [task("add", x=[i]) for i in range(5)])
    assert [v.output for v in outcomes] == [b"1", b"2", b"3", b"4", b"5"]
    for tasks, words in [
        ([task("add", x=[1]), task("add", x=[1, 2])], "set/task-1: the stream has 2 rows"),
        ([task("add", x=[1]), task("add", x=["a"])], "the inputs make no table: Schema at index 1 was different"),
        ([task("add", x=[1]), *objects("add", 1)], "inputs make one table when all are"),
        ([task("add", x=[1]), {**task("add"), "payload": b"none"}], "set/task-1: not an Arrow stream"),
    ]:
        result, _, _ = run(tables, tasks)
        assert (result.stage, result.whole, result.reason) == (RETRY, True, INPUT_INVALID) and words in result.message


@pytest.mark.parametrize(
    "payload, words",
    [
        (b"[1]", "set/task-1: the handler takes JSON objects"),
        (b'{"x": 1}, {"x": 2}', "set/task-1: not JSON"),
        (b'{"x": "text"}', "the inputs make no table"),
    ],
)
def test_what_makes_no_table_is_the_calls_failure(tables, payload, words):
    tasks = objects("add", 1, 2, 3)
    tasks[1]["payload"] = payload
    result, _, _ = run(tables, tasks)
    assert (result.stage, result.done, result.whole, result.reason) == (RETRY, 0, True, INPUT_INVALID)
    assert words in result.message


def test_a_table_of_another_size_fails_the_call(tables):
    result, _, _ = run(tables, objects("short", 1, 2, 3))
    assert result.message == "ValueError: handler 'short' returned 2 outcomes for 3 tasks" and result.whole
