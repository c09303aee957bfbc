"""Functions that make tasks: one call by itself, all calls of an iterator, and whole processes."""

import json
import random
import time

import pytest
from pod import COMPLETE, DO_NOT_RETRY, EXCEPTION, INPUT_INVALID, READY, RETRY, TOO_LARGE, Pod

import quiver
from quiver import handlers
from quiver.errors import DoNotRetry, InputInvalid, OutputTooLarge
from quiver.formats import Format
from quiver.iterators import MOST_BYTES, MOST_TASKS, Iterator
from quiver.task import Task

BYTES, JSON, ARGUMENTS = Format.BYTES, Format.JSON, Format.ARGUMENTS


class Slot:
    """What an iteration knows of it."""

    def __init__(self, room):
        self.room = room

    def limit(self):
        return self.room


def ask(function, *args, state=None, created=0, finished=0, room=MOST_TASKS, output=1 << 20):
    """One call."""
    facts = {"state": state, "created": created, "finished": finished, "room": room, "args": [*args]}
    return ask_raw(function, json.loads(json.dumps([facts])), output)


def ask_for_chunks(function, *args, state=None, created=0, room=10_000, output=1 << 20):
    """One call by the map of a map-reduce."""
    facts = {"state": state, "makes": "chunks", "created": created, "finished": created, "room": room, "args": [*args]}
    task = Task(Slot(output), b"map", b"rows", 1, 3, b"A=b\0")
    answer = Iterator("rows", function).call_with([facts], task)
    assert len(answer) <= output
    return json.loads(answer)


def ask_raw(function, args, output=1 << 20):
    task = Task(Slot(output), b"set/rows", b"rows", 1, 3, b"A=b\0")
    answer = Iterator("rows", function).call_with(args, task)
    assert len(answer) <= min(output, MOST_BYTES)
    return json.loads(answer)


def numbers(count, it):
    for i in range(it.state or 0, count):
        it.state = i + 1
        yield quiver.call("square", i)


def tasks(*args):
    return [quiver.call("square", i) for i in args]


def test_takes_as_many_tasks_as_there_is_room_for_and_the_state_of_the_last_one():
    assert ask(numbers, 10, room=3) == {"state": 3, "tasks": tasks(0, 1, 2)}
    assert ask(numbers, 10, room=3, state=3) == {"state": 6, "tasks": tasks(3, 4, 5)}
    assert len(ask(numbers, 10_000, room=10_000)["tasks"]) == MOST_TASKS


def test_a_generator_that_returns_is_over_and_the_next_call_tells_it():
    assert ask(numbers, 2) == {"state": {"$end": None}, "tasks": tasks(0, 1)}
    assert ask(numbers, 2, state={"$end": None}) is None
    assert ask(numbers, 2, state=2) is None
    assert ask(numbers, 0) is None

    def summed(it):
        yield quiver.call("a")
        return {"sum": 0}

    assert ask(summed) == {"state": {"$end": {"sum": 0}}, "tasks": [quiver.call("a")]}
    assert ask(summed, state={"$end": {"sum": 0}}) == {"result": {"sum": 0}}

    def at_once(it):
        return False
        yield

    assert ask(at_once) == {"result": False}


def test_an_iteration_is_a_task_that_knows_how_far_it_is():
    seen = {}

    def look(path, it):
        seen.update(path=path, state=it.state, created=it.created, finished=it.finished, room=it.room, name=it.name,
                    trial=it.trial, env=it.env, isinstance=isinstance(it, quiver.Task), it=it)
        return None

    assert ask(look, "/p", state=[1], created=7, finished=5, room=900) is None
    it = seen.pop("it")
    assert seen == {"path": "/p", "state": [1], "created": 7, "finished": 5, "room": MOST_TASKS, "name": "set/rows",
                    "trial": 1, "env": {"A": "b"}, "isinstance": True}
    assert it.cancelled  # the call is over


def test_the_number_of_tasks_made_is_a_state_as_well():
    def counted(count, it):
        for i in range(it.created, count):
            yield quiver.call("square", i)

    assert ask(counted, 10, room=3) == {"state": None, "tasks": tasks(0, 1, 2)}
    assert ask(counted, 10, room=3, created=9) == {"state": {"$end": None}, "tasks": tasks(9)}


def test_a_generator_that_would_make_the_same_tasks_for_ever_is_ended():
    def forgetful(it):
        for i in range(5):
            yield quiver.call("square", i)

    assert ask(forgetful, room=6) == {"state": {"$end": None}, "tasks": tasks(*range(5))}
    with pytest.raises(DoNotRetry, match="'rows' has more than 4 tasks and no new it.state"):
        ask(forgetful, room=4)

    def too_late(it):
        for i in range(it.state or 0, 5):
            yield quiver.call("square", i)
            it.state = i + 1

    with pytest.raises(DoNotRetry, match="set it before each yield"):
        ask(too_late, room=1)


def test_not_now_ends_a_call_and_keeps_what_there_is():
    def polling(it):
        assert it.state != 9
        if it.state == 1:
            it.state = 9
            yield quiver.call("a")
        yield quiver.LATER
        raise AssertionError("asked again")

    assert ask(polling) == {}
    assert ask(polling, state=5) == {}
    assert ask(polling, state=1) == {"state": 9, "tasks": [quiver.call("a")]}

    def learns(it):
        it.state = "seen"
        yield quiver.LATER

    assert ask(learns) == {"state": "seen", "tasks": []}
    assert ask(learns, state="seen") == {}
    assert repr(quiver.LATER) == "quiver.LATER"


def test_without_room_nothing_is_asked_of_the_generator():
    def never(it):
        raise AssertionError
        yield

    assert ask(never, room=0) == {}


def test_a_task_that_does_not_fit_waits_for_the_next_call_and_its_state_too():
    def large(it):
        for i in range(it.state or 0, 5):
            it.state = i + 1
            yield quiver.call("store", "x" * 20_000)

    first = ask(large)
    assert (first["state"], len(first["tasks"])) == (3, 3)
    second = ask(large, state=3)
    assert (second["state"], len(second["tasks"])) == ({"$end": None}, 2)


@pytest.mark.parametrize("letter", ["x", "ü", "\U0001f3f9", '"', "\n"])
def test_an_answer_takes_64_kib_to_the_last_byte(letter):
    def filling(count, it):
        it.state = "größe"
        yield quiver.call("a")
        yield quiver.call("store", letter * count)
        yield quiver.call("b")

    def fits(count):
        answer = ask(filling, count)
        return len(answer["tasks"]) == 2

    size = len(json.dumps(letter, ensure_ascii=False).encode()) - 2
    rest = MOST_BYTES - len('{"state":"größe","tasks":[{"handler":"a","args":[]},{"handler":"store","args":[""]}]}'.encode())
    assert fits(rest // size) and not fits(rest // size + 1)


def test_what_never_fits_ends_the_iterator():
    def large(what, it):
        if what == "state":
            it.state = "x" * 70_000
        yield quiver.call("store", "x" * (70_000 if what == "task" else 1))

    for what in ("task", "state"):
        with pytest.raises(DoNotRetry, match="with a state of .*, at most 65536 are taken"):
            ask(large, what)

    def result(it):
        yield quiver.call("a")
        return "x" * 70_000

    with pytest.raises(DoNotRetry, match="no new it.state"):
        ask(result)

    def alone(it):
        return "x" * 70_000
        yield

    with pytest.raises(DoNotRetry, match="returned 700.. bytes"):
        ask(alone)


def test_a_result_that_fits_only_alone_comes_alone():
    def result(it):
        if it.state is None:
            it.state = "made"
            yield quiver.call("store", "x" * 40_000)
        return "y" * 40_000

    first = ask(result)
    assert (first["state"], len(first["tasks"])) == ("made", 1)
    assert ask(result, state="made") == {"result": "y" * 40_000}


def test_a_slot_without_room_is_no_fault_of_the_iterator():
    def large(it):
        for i in range(it.state or 0, 5):
            it.state = i + 1
            yield quiver.call("store", "x" * 100)

    def forgetful(it):
        for i in range(9):
            yield quiver.call("square", i)

    assert ask(large, output=400)["state"] == 2
    with pytest.raises(OutputTooLarge, match="the slot takes 100"):
        ask(large, output=100)
    with pytest.raises(OutputTooLarge):
        ask(forgetful, output=100)
    with pytest.raises(OutputTooLarge):
        ask(lambda it: {"tasks": [quiver.call("store", "x" * 100)]}, output=100)


def lines(count, it):
    for i in range(it.state or 0, count):
        it.state = i + 1
        yield i


def test_a_map_yields_chunks_of_any_value_in_pages():
    assert ask_for_chunks(lines, 10, room=3) == {"state": 3, "chunks": [0, 1, 2]}
    assert ask_for_chunks(lines, 10, room=3, state=9) == {"state": {"$end": None}, "chunks": [9]}
    assert ask_for_chunks(lines, 10, state={"$end": None}) is None
    assert len(ask_for_chunks(lines, 10_000)["chunks"]) == 10_000

    def values(it):
        yield from (None, "a", [1], {"b": False}, 0)

    assert ask_for_chunks(values)["chunks"] == [None, "a", [1], {"b": False}, 0]
    assert ask_for_chunks(lambda it: {"state": 1, "chunks": [None, 2]}) == {"state": 1, "chunks": [None, 2]}
    with pytest.raises(TypeError, match="it yields chunks, or answers None"):
        ask_for_chunks(lambda it: {"state": 1, "tasks": []})
    with pytest.raises(TypeError, match="int is no task"):
        ask(lines, 10)


def test_a_page_takes_what_its_slot_has_room_for():
    def large(it):
        for i in range(it.created, 9):
            it.state = i
            yield "x" * 100_000

    assert len(ask_for_chunks(large)["chunks"]) == 9
    assert len(ask_for_chunks(large, output=350_000)["chunks"]) == 3
    with pytest.raises(OutputTooLarge, match="the slot takes 1000"):
        ask_for_chunks(large, output=1000)


def test_the_generator_is_closed_before_the_answer():
    closed = []

    def opens(it):
        try:
            for i in range(9):
                it.state = i
                yield quiver.call("square", i)
        finally:
            closed.append(it.state)
            it.state = "too late"

    assert ask(opens, room=2)["state"] == 1
    assert closed == [1]
    with pytest.raises(ZeroDivisionError):
        def fails(it):
            try:
                yield quiver.call("a")
                1 / 0
            finally:
                closed.append("failed")
        ask(fails)
    assert closed == [1, "failed"]

    def stubborn(it):
        for i in range(3):
            try:
                it.state = i
                yield quiver.call("a")
            except GeneratorExit:
                pass

    with pytest.raises(RuntimeError, match="ignored GeneratorExit"):
        ask(stubborn, room=2)


def test_a_function_may_answer_itself():
    for answer, said in [
        (None, None),
        ({}, {}),
        (quiver.LATER, {}),
        ({"state": 1}, {"state": 1}),
        ({"state": 1, "tasks": tasks(1, 2)}, {"state": 1, "tasks": tasks(1, 2)}),
        ({"tasks": (t for t in tasks(1))}, {"tasks": tasks(1)}),
        ({"result": None}, {"result": None}),
        ({"result": [0]}, {"result": [0]}),
    ]:
        assert ask(lambda it: answer) == said

    def delegates(it):
        return numbers(3, it)

    assert ask(delegates, room=2) == {"state": 2, "tasks": tasks(0, 1)}


@pytest.mark.parametrize(
    "answer, kind, words",
    [
        (7, TypeError, "iterator 'rows' answered 7: it yields tasks"),
        ([1], TypeError, "answered"),
        ({"tasks": [], "more": 1}, TypeError, "answered"),
        ({"tasks": [], "result": 1}, TypeError, "answered"),
        ({"tasks": [None]}, TypeError, "NoneType is no task"),
        ({"tasks": tasks(1, 2, 3)}, DoNotRetry, "answered 3 tasks, it.room is 2"),
        ({"state": "x" * 70_000}, DoNotRetry, "answered 70012 bytes, at most 65536"),
        ({"state": {"$end": 1}}, ValueError, "has the key '\\$end'"),
        ({"state": {1, 2}}, TypeError, "set is not JSON"),
    ],
)
def test_an_answer_that_is_none_is_refused(answer, kind, words):
    with pytest.raises(kind, match=words):
        ask(lambda it: answer, room=2)


@pytest.mark.parametrize(
    "task, state, kind, words",
    [
        (None, None, TypeError, "NoneType is no task: quiver.call"),
        ("a", None, TypeError, "str is no task"),
        ({}, None, TypeError, "a dict of nothing is no task"),
        (quiver.call("a", {1}), None, TypeError, "set is not JSON"),
        (quiver.call("a", float("nan")), None, ValueError, "Out of range float"),
        (quiver.call("a"), {1}, TypeError, "set is not JSON"),
        (quiver.call("a"), {"$end": 1}, ValueError, "choose another one"),
        (quiver.call("\ud800"), None, UnicodeEncodeError, "surrogates"),
    ],
)
def test_what_is_yielded_is_looked_at(task, state, kind, words):
    def yields(it):
        it.state = state
        yield task

    with pytest.raises(kind, match=words):
        ask(yields)


def test_nobody_else_calls_an_iterator():
    iterator = Iterator("rows", numbers)
    facts = {"state": None, "created": 0, "finished": 0, "room": 1, "args": []}
    with pytest.raises(InputInvalid, match="'rows' is an iterator: only the iterator of a Task calls it"):
        iterator.call({"state": None}, None)
    for args in ([], [1], [facts, facts], [{**facts, "room": "1"}], [{k: v for k, v in facts.items() if k != "state"}]):
        with pytest.raises(InputInvalid, match="only the iterator of a Task"):
            ask_raw(numbers, args)


def test_arguments_that_do_not_fit_are_named():
    words = r"0 arguments and the iteration for iterator 'rows', which takes \(count, it\): missing a required argument: 'it'"
    with pytest.raises(InputInvalid, match=words):
        ask(numbers)

    def fails(it):
        return len(it)

    with pytest.raises(TypeError, match="has no len"):
        ask(fails)


def test_is_served_under_its_name(monkeypatch):
    monkeypatch.setattr(handlers, "_registered", {})
    monkeypatch.setattr(handlers, "_found", {})
    assert quiver.iterator("rows")(numbers) is numbers
    quiver.iterator("rows")(numbers)
    assert handlers.names() == ["rows"] and not handlers.takes_batches(b"rows")
    with pytest.raises(ValueError, match="two functions want the name 'rows'"):
        quiver.handler("rows")(len)
    with pytest.raises(ValueError, match="1 to 128 bytes"):
        quiver.iterator("")


def run_to_its_end(function, *args, seed):
    """All tasks, and the result, by any window and with calls that are repeated."""
    draw = random.Random(seed)
    made, state, calls = [], None, 0
    while True:
        asked = {"state": state, "created": len(made), "finished": draw.randint(0, len(made)),
                 "room": draw.choice([1, 2, 7, 100, 5000])}
        answer = ask(function, *args, **asked)
        assert ask(function, *args, **asked) == answer  # of a worker that died before it could tell
        calls += 1
        if answer is None or "result" in answer:
            return made, None if answer is None else answer["result"], calls
        assert len(answer.get("tasks", [])) <= min(asked["room"], MOST_TASKS)
        made += answer.get("tasks", [])
        state = answer.get("state", state)


@pytest.mark.parametrize("seed", range(60))
def test_every_task_is_made_once_and_in_order(seed):
    draw = random.Random(seed)
    sizes = [draw.choice([0, 10, 1000, 30_000, 65_000]) for _ in range(draw.choice([0, 1, 2, 30, 300]))]
    padding = draw.choice([0, 100])

    def walk(it):
        begin = it.state["at"] if it.state else 0
        for i in range(begin, len(sizes)):
            it.state = {"at": i + 1, "padding": "x" * padding}
            yield quiver.call("store", i, "x" * sizes[i])
        return {"made": len(sizes)}

    made, result, _ = run_to_its_end(walk, seed=seed)
    assert [task["args"][0] for task in made] == list(range(len(sizes)))
    assert result["made"] == len(sizes)


@pytest.mark.parametrize("seed", range(20))
def test_the_state_may_be_changed_in_place(seed):
    def walk(it):
        it.state = it.state or {"at": 0, "seen": []}
        while it.state["at"] < 40:
            it.state["at"] += 1
            it.state["seen"].append(it.state["at"])
            yield quiver.call("store", it.state["at"])
        return it.state["seen"]

    made, result, _ = run_to_its_end(walk, seed=seed)
    assert [task["args"][0] for task in made] == result == list(range(1, 41))


# ---- whole processes ----

TASKS = """
import sys, time
import quiver

@quiver.iterator("rows")
def rows(path, it):
    with open(path) as file:
        file.seek(it.state or 0)
        while line := file.readline():
            it.state = file.tell()
            yield quiver.call("row", line.strip(), max_trials=2)
    return "all"

@quiver.iterator("slow")
def slow(it):
    try:
        print("begun", file=sys.stderr, flush=True)
        while True:
            time.sleep(0.001)
    finally:
        print("cleaned up", file=sys.stderr, flush=True)
    yield

@quiver.iterator("fails")
def fails(it):
    it.state = 1
    yield quiver.call("a")
    raise ValueError("no more")

@quiver.iterator("tells")
def tells(it):
    it.progress(1, 2)
    it.log.warning("asked")
    return {"tasks": [quiver.call("x" * 600)] * 2}
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        assert running.go() == ["rows", "slow", "fails", "tells"]
        yield running


def payload(*args, state=None, created=0, finished=0, room=1000):
    return json.dumps([{"state": state, "created": created, "finished": finished, "room": room, "args": args}]).encode()


def test_walks_a_file_call_by_call(pod, tmp_path):
    file = tmp_path / "größe"
    file.write_text("".join(f"zeile {i} ü\n" for i in range(1234)))
    state, lines, calls = None, [], 0
    while True:
        format, output = pod.done("rows", payload(str(file), state=state, created=len(lines)), ARGUMENTS)
        assert format == JSON
        answer = json.loads(output)
        if "result" in answer:
            break
        state, calls = answer["state"], calls + 1
        assert all(task["handler"] == "row" and task["maxTrials"] == 2 for task in answer["tasks"])
        lines += [task["args"][0] for task in answer["tasks"]]
    assert (answer, calls) == ({"result": "all"}, 3)
    assert lines == [f"zeile {i} ü" for i in range(1234)]


def test_the_end_is_json(pod, tmp_path):
    file = tmp_path / "one"
    file.write_text("a\n")
    _, output = pod.done("rows", payload(str(file)), ARGUMENTS)
    assert json.loads(output) == {"state": {"$end": "all"}, "tasks": [quiver.call("row", "a", max_trials=2)]}
    assert pod.done("rows", payload(str(file), state={"$end": None}), ARGUMENTS) == (JSON, b"null")


def test_what_it_raises_is_a_failed_trial(pod):
    for handler, data, format, reason, words in [
        ("fails", payload(), ARGUMENTS, EXCEPTION, "ValueError: no more"),
        ("rows", payload("/none"), ARGUMENTS, EXCEPTION, "FileNotFoundError: "),
        ("rows", payload(), ARGUMENTS, INPUT_INVALID, "0 arguments and the iteration for iterator 'rows', which takes (path, it)"),
        ("rows", b'"path"', JSON, INPUT_INVALID, "'rows' is an iterator: only the iterator of a Task calls it"),
        ("rows", b"[]", ARGUMENTS, INPUT_INVALID, "'rows' is an iterator"),
    ]:
        result = pod.run(handler, data, format)
        assert (result.stage, result.reason) == (RETRY, reason) and result.message.startswith(words)
        trace = pod.stderr_tail(result)
        assert (reason == EXCEPTION) == ("Traceback" in trace) and "iterators.py" not in trace
        pod.acknowledge()


def test_it_is_called_off_as_any_function(pod):
    pod.dispatch("slow", payload(), ARGUMENTS)
    pod.running()
    while "begun" not in pod.stderr():
        time.sleep(0.001)
    pod.cancel()
    pod.await_result(lambda r: r.generation == pod.generation and r.stage == READY)
    assert "cleaned up" in pod.stderr()
    assert pod.done("fails", payload(room=1), ARGUMENTS)[0] == JSON


def test_its_time_limit_ends_it(pod):
    pod.dispatch("slow", payload(), ARGUMENTS, deadline=time.monotonic_ns() + 20_000_000)
    pod.running()
    time.sleep(0.08)
    pod.send(17, pod.generation)
    result = pod.result()
    assert (result.stage, result.reason) == (RETRY, 10)
    pod.acknowledge()


def test_it_has_all_that_a_task_has_and_gives_room_to_others(pod):
    calls = [{"handler": "tells", "payload": payload(), "format": ARGUMENTS}] * 3
    result, outcomes = pod.run_batch(calls, out_limit=3000)
    assert (result.stage, result.done) == (COMPLETE, 2)  # the third goes back: no room behind the others
    pod.acknowledge()
    assert "WARNING asked" in pod.stderr()
    result = pod.run("tells", payload(), ARGUMENTS, out_limit=1000)
    assert (result.stage, result.reason, result.progress) == (RETRY, TOO_LARGE, 1)
    pod.acknowledge()
    result = pod.run("fails", payload(), ARGUMENTS, out_limit=10)
    assert (result.stage, result.reason) == (RETRY, TOO_LARGE)
    pod.acknowledge()
    assert DO_NOT_RETRY != result.reason
