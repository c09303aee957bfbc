"""Functions that a Task calls, over the real libquiver: each argument is an element of a JSON array."""

import json

import pytest
from pod import COMPLETE, EXCEPTION, INPUT_INVALID, RETRY, Pod

from quiver.formats import Format

BYTES, JSON, ARGUMENTS = Format.BYTES, Format.JSON, Format.ARGUMENTS

TASKS = """
import quiver

@quiver.handler("resize")
def resize(photo, width=100, *, task):
    return [photo, width, task.name, task.env["QUIVER_TRIAL"]]

@quiver.handler("add")
def add(a, b):
    return a + b

@quiver.handler("both")
def both(value, task):
    return [value, task.name]

@quiver.handler("tokens")
def tokens(task):
    return task.tokens

@quiver.handler("none")
def none():
    return "nothing"

@quiver.handler("large")
def large(text):
    return len(text)

@quiver.handler("all", batch=True)
def everything(values, tasks):
    return [[v, t.name] for v, t in zip(values, tasks)]

@quiver.handler("table", batch="table")
def table(rows):
    return [[x, rows.num_rows] for x in rows["x"].to_pylist()]
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        running.go()
        yield running


def arguments(*args):
    return json.dumps(args).encode()


def test_a_function_gets_the_tokens_of_its_permits(pod):
    assert called(pod, "tokens", env={"QUIVER_TOKENS": '{"tenant!acme":7,"a\\"":8}'}) == {"tenant!acme": 7, 'a"': 8}
    assert called(pod, "tokens") == {}


def called(pod, handler, *args, **more):
    format, output = pod.done(handler, arguments(*args), ARGUMENTS, **more)
    assert format == JSON
    return json.loads(output)


def refused(pod, handler, payload, format=ARGUMENTS):
    result = pod.run(handler, payload, format)
    assert result.stage == RETRY
    pod.acknowledge()
    return result.reason, result.message


def test_calls_a_function_with_its_arguments(pod):
    env = {"QUIVER_TRIAL": "1"}
    assert called(pod, "resize", "größe.png", env=env) == ["größe.png", 100, "set/task-0", "1"]
    assert called(pod, "resize", {"url": "u"}, 7, env=env) == [{"url": "u"}, 7, "set/task-0", "1"]
    assert called(pod, "add", 1, 2) == 3
    assert called(pod, "none") == "nothing"
    assert called(pod, "large", "x" * 100_000) == 100_000


def test_one_function_serves_an_input_and_an_argument(pod):
    for value in (7, None, [1, 2], {"a": 1}):
        format, output = pod.done("both", json.dumps(value).encode(), JSON)
        assert json.loads(output) == called(pod, "both", value) == [value, "set/task-0"]


def test_a_call_that_does_not_fit_is_not_begun(pod):
    assert refused(pod, "resize", arguments(1, 2, 3)) == (
        INPUT_INVALID,
        "3 arguments for handler 'resize', which takes (photo, width=100, *, task): too many positional arguments",
    )
    assert refused(pod, "none", arguments(1))[0] == INPUT_INVALID
    assert refused(pod, "add", arguments("a", 2))[0] == EXCEPTION  # its own
    assert refused(pod, "none", b"1", JSON)[0] == EXCEPTION  # as ever
    assert refused(pod, "add", b"{}") == (INPUT_INVALID, "the arguments are no JSON array")


def run(pod, handler, *payloads, format=ARGUMENTS):
    result, outcomes = pod.run_batch([{"handler": handler, "payload": p, "format": format} for p in payloads])
    pod.acknowledge()
    return result, [json.loads(v.output) if v.reason == 0 else (v.reason, v.message) for v in outcomes]


def test_calls_of_one_dispatch_come_one_after_the_other(pod):
    result, outcomes = run(pod, "add", arguments(1, 2), arguments("a", "b"), arguments([], [1]))
    assert (result.stage, outcomes) == (COMPLETE, [3, "ab", [1]])
    result, outcomes = run(pod, "add", arguments(1, 2), arguments(1), arguments(2, 3))
    assert (result.stage, result.done, outcomes) == (RETRY, 1, [3])


def test_an_element_of_many_is_the_only_argument_or_the_list_of_them(pod):
    assert called(pod, "all", 7) == [7, "set/task-0"]
    result, outcomes = run(pod, "all", arguments(7), arguments(), arguments(1, 2), arguments([1, 2]), b"no", arguments({}))
    assert (result.stage, result.whole) == (COMPLETE, True)
    assert [v[0] for v in outcomes] == [7, [], [1, 2], [1, 2], INPUT_INVALID, {}]
    assert outcomes[5] == [{}, "set/task-5"]


def test_a_row_is_an_object_as_the_only_argument(pod):
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    assert called(pod, "table", {"x": 1}) == [1, 1]
    result, outcomes = run(pod, "table", arguments({"x": 1}), arguments(7), arguments({"x": 2}), arguments({}, {}))
    assert (result.stage, result.whole) == (COMPLETE, True)
    words = "a row of the handler's table is one argument, a JSON object: the task has "
    assert outcomes == [[1, 2], (INPUT_INVALID, words + "an argument of type int"), [2, 2], (INPUT_INVALID, words + "2 arguments")]
    result, outcomes = run(pod, "table", arguments(), arguments(1))
    assert (result.stage, [v[0] for v in outcomes]) == (COMPLETE, [INPUT_INVALID] * 2)
    assert refused(pod, "table", arguments([]))[0] == INPUT_INVALID


def test_inputs_and_arguments_make_one_table(pod):
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    tasks = [{"handler": "table", "payload": b'{"x": 1}', "format": JSON},
             {"handler": "table", "payload": arguments({"x": 2}), "format": ARGUMENTS}]
    _, outcomes = pod.run_batch(tasks)
    pod.acknowledge()
    assert [json.loads(v.output) for v in outcomes] == [[1, 2], [2, 2]]
