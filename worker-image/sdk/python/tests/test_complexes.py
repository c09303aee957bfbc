"""Complex tasks: what a class registers, and whole processes that answer for one."""

import json

import pytest
from pod import DO_NOT_RETRY, EXCEPTION, INPUT_INVALID, Pod

import quiver
from quiver import complexes, handlers
from quiver.clients.states import ComplexState
from quiver.formats import Format

ARGUMENTS, EFFECTS, JSON = Format.ARGUMENTS, Format.EFFECTS, Format.JSON

TASKS = """
import quiver

@quiver.complex("flags")
class Flags:
    def init(self, key):
        if key == "odd":
            return {"seq": True, "pair": (1, 2), "most": 2**53 - 1}
        return {"seq": 1, "key": key, "gone": True} if key == "first" else None

    def plan(self, request, state, markers):
        return {
            "none": lambda: None,
            "all": lambda: quiver.Done(7, state=[quiver.set("a", [1], expect=None), quiver.delete("b"), quiver.add("n", 2)],
                                       markers={"m": quiver.marker(1, count=2, tags=["t"], contingency=True), "n": None},
                                       tasks=[quiver.call("g")], undo=[quiver.call("u")]),
            "seen": lambda: quiver.Done([state, markers]),
            "first": lambda: quiver.Done(state=[quiver.add("seq", 4), quiver.delete("gone", expect=True), quiver.set("x", 1)]),
            "pair": lambda: quiver.Done(state=[quiver.set("pair", 0, expect=state["pair"])]),
            "own": lambda: state.clear(),
            "most": lambda: quiver.Done(state=[quiver.add("most", 1)]),
            "plan": lambda: quiver.Plan(),
            "large": lambda: quiver.Done(state=[quiver.set("a", "x" * 65_536)]),
        }[request]()

    def execute(self, state, marker, task):
        if marker["id"] == "plain":
            return {"marker": marker, "state": state, "handler": task.handler}
        return quiver.Done(state=[quiver.delete("a")])

    def contingency(self, state, marker):
        return quiver.Redo() if marker["id"] == "redo" else quiver.Done(state=[quiver.delete("a")])

@quiver.complex("bare")
class Bare:
    def plan(self, state, markers):
        return quiver.Done(markers={"n": None, "m": quiver.marker(contingency=True)})

    def execute(self, state, marker):
        return quiver.Done(markers={"o": quiver.marker(), "m": quiver.marker(contingency=True)})

@quiver.handler("plain")
def plain():
    return quiver.Done(state=[quiver.delete("a")])
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        assert running.go() == ["flags", "flags#plan", "flags#contingency", "bare", "bare#plan", "plain"]
        yield running


@pytest.fixture
def no_handlers(monkeypatch):
    monkeypatch.setattr(handlers, "_registered", {})
    monkeypatch.setattr(handlers, "_found", {})


def planned(pod, request, key="k", state=None, markers=None):
    kept = {"key": key, "state": state or {}, "markers": markers or {}}
    format, data = pod.done("flags#plan", json.dumps([request, kept]).encode(), ARGUMENTS)
    assert format == EFFECTS
    return json.loads(data)


def test_a_plan_says_what_it_changes(pod):
    assert planned(pod, "all") == {
        "done": True,
        "result": 7,
        "tasks": [{"handler": "g", "args": []}],
        "undo": [{"handler": "u", "args": []}],
        "state": [{"set": "a", "value": [1], "expect": None}, {"delete": "b"}, {"add": "n", "value": 2}],
        "markers": {"m": {"args": [1], "contingency": True, "tags": ["t"], "count": 2}, "n": None},
    }
    assert planned(pod, "none") == {"done": True}
    assert planned(pod, "seen", state={"a": 1}, markers={"m": {"left": 1}})["result"] == [{"a": 1}, {"m": {"left": 1}}]


def test_the_first_plan_of_a_key_writes_the_first_state_as_it_changes_it(pod):
    assert planned(pod, "first", key="first")["state"] == [
        {"set": "seq", "value": 5, "expect": None},
        {"set": "key", "value": "first", "expect": None},
        {"set": "x", "value": 1},
    ]
    assert [each["set"] for each in planned(pod, "none", key="first")["state"]] == ["seq", "key", "gone"]
    assert planned(pod, "seen", key="first")["result"][0] == {"seq": 1, "key": "first", "gone": True}
    assert "state" not in planned(pod, "none", key="first", state={"seq": 1})
    assert "state" not in planned(pod, "none", key="first", markers={"m": {}})


def test_a_first_state_is_what_will_be_kept(pod):
    assert {"set": "pair", "value": 0, "expect": None} in planned(pod, "pair", key="odd")["state"]
    assert [each["set"] for each in planned(pod, "own", key="first")["state"]] == ["seq", "key", "gone"]


@pytest.mark.parametrize(
    "first, expected, same",
    [
        (1, 1.0, True),
        (0, -0.0, True),
        (1, True, False),
        (False, 0, False),
        (1, "1", False),
        (None, None, True),
        (0, None, False),
        (2**53, 2**53 + 1, False),
        (2.0**53, 2**53 + 1, True),
        (10**40, 1e40, False),
        ([1, 2], (1, 2), True),
        ([1], [1.0], False),
        ([1], [True], False),
        ({"a": 1, "b": [{}]}, {"b": [{}], "a": 1}, True),
        ({"1": 2}, {1: 2}, True),
    ],
)
def test_a_first_state_has_what_is_expected_as_redis_tells_it(first, expected, same):
    changes = [quiver.set("a", 7, expect=expected)]
    if same:
        assert complexes._upon({"a": first}, changes) == [quiver.set("a", 7, expect=None)]
    else:
        with pytest.raises(ValueError, match="the plan expects .* of 'a', and init has "):
            complexes._upon({"a": first}, changes)


def test_a_marker_is_executed_with_the_state(pod):
    kept = {"key": "k", "marker": "plain", "state": {"a": 1}}
    assert pod.done("flags", json.dumps([7, kept]).encode(), ARGUMENTS) == (
        JSON,
        json.dumps(
            {"marker": {"id": "plain", "args": [7]}, "state": {"a": 1}, "handler": "flags"}, separators=(",", ":")
        ).encode(),
    )
    kept["marker"] = "m"
    answer = (EFFECTS, b'{"state":[{"delete":"a"}]}')
    assert pod.done("flags", json.dumps([kept]).encode(), ARGUMENTS) == answer
    kept["marker"] = "redo"
    assert pod.done("flags#contingency", json.dumps([kept]).encode(), ARGUMENTS) == (EFFECTS, b'{"redo":true}')
    kept["marker"] = "done"
    assert pod.done("flags#contingency", json.dumps([kept]).encode(), ARGUMENTS) == (
        EFFECTS,
        b'{"done":true,"state":[{"delete":"a"}]}',
    )


@pytest.mark.parametrize(
    "handler, arguments, status, words",
    [
        ("flags", [], INPUT_INVALID, "'flags' is a complex task: a call of it needs complexKey"),
        ("flags#plan", [1], INPUT_INVALID, "a call of it needs complexKey"),
        ("flags#plan", ["none", {"key": "k", "marker": "m", "state": {}}], INPUT_INVALID, "a call of it needs complexKey"),
        ("flags#plan", [{"key": "k", "state": {}, "markers": {}}], INPUT_INVALID, "missing a required argument"),
        ("flags#plan", ["plan", {"key": "k", "state": {}, "markers": {}}], EXCEPTION, "returned Plan: it returns a quiver.Done"),
        ("flags#plan", ["large", {"key": "k", "state": {}, "markers": {}}], DO_NOT_RETRY, "at most 65536 are taken"),
        ("flags#plan", ["first", {"key": "odd", "state": {}, "markers": {}}], EXCEPTION, "'seq' from init is True, a number is"),
        ("flags#plan", ["most", {"key": "odd", "state": {}, "markers": {}}], EXCEPTION, "'most' would be 9007199254740992"),
        ("plain", [], EXCEPTION, "Done: state is of a complex task"),
    ],
)
def test_what_does_not_fit_is_said(pod, handler, arguments, status, words):
    result = pod.run(handler, json.dumps(arguments).encode(), ARGUMENTS)
    pod.acknowledge()
    assert result.reason == status and words in result.message


def test_a_class_has_its_methods_and_its_name_once(no_handlers):
    class Half:
        def plan(self, state, markers):
            pass

    with pytest.raises(TypeError, match="Half is a complex task, and has no method execute"):
        quiver.complex("half")(Half)
    with pytest.raises(ValueError, match="at most 116 printable characters"):
        quiver.complex("a b")

    for name in (None, 7, b"flags"):
        with pytest.raises(TypeError, match=f"the name of a complex task is a text, not {name!r}"):
            quiver.complex(name)

    class Whole(Half):
        def execute(self, state, marker):
            pass

    assert quiver.complex("whole")(Whole) is Whole
    assert handlers.names() == ["whole", "whole#plan"]
    with pytest.raises(ValueError, match="two functions want the name 'whole'"):
        quiver.handler("whole")(lambda: None)


@pytest.mark.parametrize("method", ["plan", "execute", "init", "contingency"])
@pytest.mark.parametrize("value", [None, 7])
def test_what_is_named_as_a_method_is_one(no_handlers, method, value):
    class Flags:
        def plan(self, state, markers):
            pass

        def execute(self, state, marker):
            pass

    class Late(Flags):
        def __init__(self):
            setattr(self, method, value)

    setattr(Flags, method, value)
    with pytest.raises(TypeError, match=f"Flags is a complex task, and its {method} is {value}: a method is needed"):
        quiver.complex("flags")(Flags)
    setattr(Flags, method, lambda self, *arguments: None)
    with pytest.raises(TypeError, match=f"Late is a complex task, and its {method} is {value}: a method is needed"):
        quiver.complex("flags")(Late)
    assert handlers.names() == []


@pytest.mark.parametrize("handler", ["bare", "bare#plan"])
def test_a_marker_asks_no_contingency_that_nobody_serves(pod, handler):
    kept = {"key": "k", "state": {}, "markers": {}, "marker": "x"}
    result = pod.run(handler, json.dumps([kept]).encode(), ARGUMENTS)
    pod.acknowledge()
    assert result.reason == EXCEPTION
    assert "markers has 'm' with contingency True, and the complex task 'bare' has no method contingency" in result.message


@pytest.mark.parametrize(
    "make, error, words",
    [
        (lambda: quiver.set("a b", 1), ValueError, "state has the name 'a b'"),
        (lambda: quiver.delete(1), TypeError, "state has the name 1, a text is needed"),
        (lambda: quiver.add("a", True), TypeError, "the value for 'a' is True, a number is needed"),
        (lambda: quiver.Done(state={"a": 1}), TypeError, "a list of changes"),
        (lambda: quiver.Done(state=[1]), TypeError, "state has 1: quiver.set"),
        (lambda: quiver.Done(state=[quiver.set("a", 1), quiver.delete("a")]), ValueError, "'a' twice"),
        (lambda: quiver.set("a", object()), TypeError, "set: the value for 'a' is <object object"),
        (lambda: quiver.set("a", [float("nan")]), ValueError, "set: the value for 'a' is [nan], which JSON cannot say: Out"),
        (lambda: quiver.set("a", "\ud800"), ValueError, "set: the value for 'a' is '\\\\ud800', which JSON cannot say: "),
        (lambda: quiver.set("a", 1, expect=float("inf")), ValueError, "set: expect for 'a' is inf, which JSON cannot say: "),
        (lambda: quiver.delete("a", expect={"b": "\udfff"}), ValueError, "delete: expect for 'a' is {'b': "),
        (lambda: quiver.add("a", float("nan")), ValueError, "add: the value for 'a' is nan, which JSON cannot say: "),
        (lambda: quiver.Change("push", "a", 1), ValueError, "a change is 'push', 'set', 'delete' or 'add' is needed"),
        (lambda: quiver.Done(markers=["m"]), TypeError, "a dict is allowed"),
        (lambda: quiver.Done(markers={"m": {"handler": "h"}}), TypeError, "quiver.marker makes one"),
        (lambda: quiver.Done(markers={"": None}), ValueError, "markers has the name ''"),
        (lambda: quiver.Done(markers={"m": quiver.marker(max_trials=0)}), ValueError, "'m': maxTrials"),
        (lambda: quiver.Done(markers={"m": quiver.marker(resources=list("12345678"))}), ValueError, "8 resources, at most 7"),
        (lambda: quiver.Done(markers={"m": quiver.marker(count=64), "n": quiver.marker()}), quiver.DoNotRetry, "65 tasks"),
        (lambda: quiver.Done(markers={"m": quiver.marker("x" * 8000, count=32)}), quiver.DoNotRetry, "the tasks of markers have"),
        (lambda: quiver.Done(markers={"m": quiver.marker("$(results.x)")}), ValueError, "markers has 'm': "),
        (lambda: quiver.Done(markers={"m": {"args": [1], "count": "x"}}), ValueError, "'m' with count 'x', 1 to 64"),
        (lambda: quiver.Done(markers={"m": {"args": [1], "count": -5}}), ValueError, "'m' with count -5, 1 to 64"),
        (lambda: quiver.Done(markers={"m": {"args": [1], "parallel": "no"}}), TypeError, "'m' with parallel 'no'"),
        (lambda: quiver.Done(tasks=[{"handler": "f", "complexKey": None}]), TypeError, "complexKey is None"),
        (lambda: quiver.marker(count=0), ValueError, "count is 0, 1 to 64 is allowed"),
        (lambda: quiver.Done(state=[quiver.delete(f"f{i}") for i in range(1025)]), quiver.DoNotRetry, "1025 changes"),
        (lambda: quiver.call("f", complex_key="a b"), ValueError, "complex_key is 'a b'"),
        (lambda: quiver.call("f", complex_key="k" * 119), ValueError, "120 characters together, at most 119"),
        (lambda: quiver.call("f", complex_key="k", plan=False), ValueError, "there is a plan"),
        (lambda: quiver.call("f", complex_key="k", contingency=True), ValueError, "it is of the markers"),
        (lambda: quiver.call("f", complex_key="k", resources=["a"]), ValueError, "it is of the markers"),
    ],
)
def test_what_cannot_be_is_refused_when_it_is_made(make, error, words):
    with pytest.raises(error, match=words.replace("(", "\\(").replace("[", "\\[")):
        make()


def test_eight_resources_are_for_markers_that_take_no_turns():
    assert quiver.Done(markers={"m": quiver.marker(parallel=True, resources=list("12345678"))}).markers["m"]["parallel"]


def test_a_client_reads_fields_and_markers():
    assert ComplexState.of(0, []) is None
    state = ComplexState.of(
        7, [(b"\1a", b'{"b":1}'), (b"\2m", b'2\n{"args":[1]}'), (b"\2n", b'0\n{}\n{"reason":"Error","message":"no"}')]
    )
    assert state == ComplexState(
        7,
        {"a": {"b": 1}},
        {"m": {"args": [1], "left": 2}, "n": {"left": 0, "error": {"reason": "Error", "message": "no"}}},
    )
