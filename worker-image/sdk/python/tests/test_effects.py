"""What a function returns beside its result: the values by themselves, and whole processes that send them."""

import json
import re

import pytest
from pod import COMPLETE, DO_NOT_RETRY, EXCEPTION, RETRY, TOO_LARGE, Pod

import quiver
from quiver import effects, outputs
from quiver.formats import Format

JSON, ARGUMENTS, EFFECTS = Format.JSON, Format.ARGUMENTS, Format.EFFECTS
SYNC = {"handler": "sync", "args": [1]}

TASKS = """
import quiver

@quiver.handler("save")
def save(kind, task):
    return {
        "both": lambda: quiver.Done({"at": "grün"}, tasks=[quiver.call("sync", 1)]),
        "result": lambda: quiver.Done([1]),
        "tasks": lambda: quiver.Done(tasks=(quiver.call("sync", i) for i in range(2))),
        "nothing": lambda: quiver.Done(),
        "many": lambda: quiver.Done(tasks=[quiver.call("sync", i) for i in range(65)]),
        "large": lambda: quiver.Done("x" * 2_000_000),
        "bytes": lambda: quiver.Done(b"x"),
        "plan": lambda: quiver.Plan(),
        "plain": lambda: {"plain": True},
    }[kind]()

@quiver.handler("all", batch=True)
def all_of_them(kinds, tasks):
    def one(kind, task):
        try:
            return save(kind, task)
        except Exception as error:  # of this task alone
            return error

    return [one(kind, task) for kind, task in zip(kinds, tasks)]

@quiver.handler("rows", batch="table")
def rows(table):
    return [quiver.Done(row) for row in table.column("x").to_pylist()]

@quiver.iterator("iterator")
def iterator(it):
    return quiver.Done(1)
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        assert running.go() == ["save", "all", "rows", "iterator"]
        yield running


def test_a_result_and_its_tasks_are_one_object(pod):
    said = {
        "both": '{"result":{"at":"grün"},"tasks":[{"handler":"sync","args":[1]}]}',
        "result": '{"result":[1]}',
        "tasks": '{"tasks":[{"handler":"sync","args":[0]},{"handler":"sync","args":[1]}]}',
        "nothing": "{}",
    }
    for kind, text in said.items():
        assert pod.done("save", json.dumps([kind]).encode(), ARGUMENTS) == (EFFECTS, text.encode())
    assert pod.done("save", b'"plain"', JSON) == (JSON, b'{"plain":true}')


@pytest.mark.parametrize(
    "kind, reason, words",
    [
        ("many", DO_NOT_RETRY, "DoNotRetry: Done: tasks has 65 elements, at most 64 are taken"),
        ("large", TOO_LARGE, "output: 2000013 bytes, the slot takes 1048576"),
        ("bytes", EXCEPTION, "TypeError: Done: result has bytes, and JSON alone is allowed: bytes, Arrow and locators"),
        ("plan", EXCEPTION, "TypeError: a quiver.Plan is what a function with @quiver.plan returns"),
    ],
)
def test_what_cannot_be_sent_fails_with_its_reason(pod, kind, reason, words):
    result = pod.run("save", json.dumps(kind).encode(), JSON)
    assert (result.stage, result.reason) == (RETRY, reason) and result.message.startswith(words)
    pod.acknowledge()


def test_each_task_of_a_batch_may_have_effects_of_its_own(pod):
    kinds = ["both", "nothing", "plain", "plan", "many", "result"]
    result, outcomes = pod.run_batch([{"handler": "all", "payload": json.dumps(k).encode(), "format": JSON} for k in kinds])
    assert (result.stage, result.whole) == (COMPLETE, True)
    assert [(o.format, o.reason) for o in outcomes] == [
        (EFFECTS, 0), (EFFECTS, 0), (JSON, 0), (0, EXCEPTION), (0, DO_NOT_RETRY), (EFFECTS, 0)]
    assert json.loads(outcomes[0].output) == {"result": {"at": "grün"}, "tasks": [SYNC]}
    assert [o.output for o in outcomes[1:3]] == [b"{}", b'{"plain":true}'] and outcomes[5].output == b'{"result":[1]}'
    pod.acknowledge()


def test_a_row_may_end_with_effects(pod):
    pytest.importorskip("pyarrow", reason="needs pyarrow")
    _, outcomes = pod.run_batch([{"handler": "rows", "payload": b'{"x":%d}' % i, "format": JSON} for i in range(2)])
    assert [(o.format, o.output) for o in outcomes] == [(EFFECTS, b'{"result":0}'), (EFFECTS, b'{"result":1}')]
    pod.acknowledge()


def test_an_iterator_has_no_effects(pod):
    facts = [{"state": None, "created": 0, "finished": 0, "room": 1, "args": []}]
    result = pod.run("iterator", json.dumps(facts).encode(), ARGUMENTS)
    assert result.reason == EXCEPTION and result.message.startswith("TypeError: iterator 'iterator' answered Done(")
    pod.acknowledge()


def test_the_output_counts_as_a_whole():
    assert outputs.encode(quiver.Done("x" * 10)).length == len('{"result":"xxxxxxxxxx"}')


def test_they_stay_as_they_were_made():
    args, tags = [[1]], ["a"]
    plan, done = quiver.Plan(tags=tags, args=args), quiver.Done(args)
    args[0].append(2)
    tags.append("b")
    assert (plan.tags, plan.json_of_plan(), done.json()) == (("a",), b'{"tags":["a"],"args":[[1]]}', b'{"result":[[1]]}')
    for made, field in ((plan, "tags"), (done, "result")):
        with pytest.raises(AttributeError):
            setattr(made, field, None)


def test_every_field_of_a_plan_is_sent():
    plan = quiver.Plan(-7, {"send": 1}, ("online", "!" * 128), "~", ("ü", None), [quiver.call("sync", 1)])
    assert json.loads(plan.json_of_plan()) == {
        "relPriority": -7, "tags": ["send"], "resources": ["online", "!" * 128], "fairnessKey": "~", "args": ["ü", None],
        "tasks": [SYNC]}
    assert quiver.Plan(tags=[], args=[], rel_priority=0).json_of_plan() == b'{"relPriority":0,"tags":[],"args":[]}'
    assert quiver.Plan().json_of_plan() == b"{}"


def test_the_tasks_have_a_number_and_a_size():
    many = [quiver.call("f")] * effects.MOST_TASKS
    assert len(quiver.Plan(tasks=many).tasks) == 64
    frame = len(b'[{"handler":"f","args":[""]}]')
    quiver.Done(tasks=[quiver.call("f", "x" * (effects.MOST_BYTES - frame))])
    with pytest.raises(quiver.DoNotRetry, match="Done: tasks has 65537 bytes of JSON, at most 65536 are taken"):
        quiver.Done(tasks=[quiver.call("f", "x" * (effects.MOST_BYTES - frame + 1))])
    with pytest.raises(quiver.DoNotRetry, match="Plan: tasks has 65 elements, at most 64 are taken"):
        quiver.Plan(tasks=[*many, many[0]])


@pytest.mark.parametrize(
    "make, kind, words",
    [
        (lambda: quiver.Done(quiver.Locator("/x")), TypeError, "Done: result has Locator, and JSON alone is allowed"),
        (lambda: quiver.Done({"x": memoryview(b"")}), TypeError, "Done: result has dict, and JSON alone is allowed"),
        (lambda: quiver.Done(float("nan")), ValueError, "Done: result has nan, which JSON cannot say"),
        (lambda: quiver.Done("\ud800"), ValueError, "Done: result has '\\ud800', which JSON cannot say"),
        (lambda: quiver.Done(tasks=quiver.call("f")), TypeError, "Done: tasks has {'handler': 'f', 'args': []}"),
        (lambda: quiver.Done(tasks=7), TypeError, "Done: tasks has 7, a list of tasks is allowed"),
        (lambda: quiver.Done(tasks=[quiver.call("f"), 7]), TypeError, "Done: tasks[1]: int is no task"),
        (lambda: quiver.Done(tasks=[quiver.call("f", b"")]), TypeError, "Done: tasks[0]: Object of type bytes"),
        (lambda: quiver.Done(tasks=[quiver.call("f", float("inf"))]), ValueError, "Done: tasks[0]: Out of range"),
        (lambda: quiver.Plan(tasks=["f"]), TypeError, "Plan: tasks[0]: str is no task"),
        (lambda: quiver.Plan(rel_priority=100_000), ValueError, "rel_priority has 100000, a whole number of -99999 to 99999"),
        (lambda: quiver.Plan(rel_priority=True), TypeError, "Plan: rel_priority has True"),
        (lambda: quiver.Plan(rel_priority="1"), TypeError, "Plan: rel_priority has '1'"),
        (lambda: quiver.Plan(tags="send"), TypeError, "Plan: tags has 'send', a list of names is allowed"),
        (lambda: quiver.Plan(tags=["a b"]), ValueError, "Plan: tags has 'a b', 1 to 128 printable characters"),
        (lambda: quiver.Plan(tags=["x" * 129]), ValueError, "Plan: tags has 'xxx"),
        (lambda: quiver.Plan(resources=["a"] * 9), ValueError, "Plan: resources has 9 names, at most 8 are allowed"),
        (lambda: quiver.Plan(resources=[7]), TypeError, "Plan: resources has 7, 1 to 128 printable"),
        (lambda: quiver.Plan(fairness_key=""), ValueError, "Plan: fairness_key has ''"),
        (lambda: quiver.Plan(args="a"), TypeError, "Plan: args has 'a', a list of JSON values is allowed"),
        (lambda: quiver.Plan(args=[b""]), TypeError, "Plan: args has [b''], a list of JSON values is allowed (Object of type"),
        (lambda: quiver.Plan(args=[float("nan")]), ValueError, "Plan: args has [nan], which JSON cannot say"),
    ],
)
def test_what_is_refused_names_the_field_and_the_value(make, kind, words):
    with pytest.raises(kind, match=re.escape(words)):
        make()


def test_no_locator_leads_to_effects_and_no_input_is_one(pod):
    with pytest.raises(ValueError, match="not to effects"):
        quiver.Locator("/x", Format.EFFECTS)
    for located in (False, True):
        result = pod.run("save", b"{}", EFFECTS, located=located)
        assert (result.stage, result.message) == (RETRY, "format 4 is not known to this SDK")
        pod.acknowledge()
