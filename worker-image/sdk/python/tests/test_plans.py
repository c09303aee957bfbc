"""Plans: their registration, and whole processes that answer for them."""

import json

import pytest
from pod import BLOCKED, DO_NOT_RETRY, EXCEPTION, INPUT_INVALID, NOT_FOUND, RETRY, TOO_LARGE, Pod

import quiver
from quiver import handlers, outputs, plans
from quiver.errors import ProtocolError
from quiver.formats import Format

JSON, ARROW, ARGUMENTS, EFFECTS = Format.JSON, Format.ARROW, Format.ARGUMENTS, Format.EFFECTS

TASKS = """
import quiver

@quiver.handler("save")
def save(draft, task):
    return quiver.Done(draft, tasks=[quiver.call("sync", draft)])

@quiver.plan("save")
def plan(draft, task):
    if draft == "blocked":
        raise quiver.Blocked("online", 30)
    return {
        "none": lambda: None,
        "done": lambda: quiver.Done(7, tasks=[quiver.call("sync", task.handler)]),
        "over": lambda: quiver.Done(),
        "args": lambda: quiver.Plan(rel_priority=5, tags=["send"], resources=["online"], args=[draft, 7]),
        "dict": lambda: {"tags": ["send"]},
        "many": lambda: quiver.Plan(tasks=[quiver.call("sync")] * 65),
        "large": lambda: quiver.Done("x" * 2_000_000),
        "long": lambda: quiver.Plan(args=["x" * 65_533]),
        "name": lambda: quiver.Plan(tags=["a b"]),
    }[draft]()

@quiver.handler("two", batch=True)
def two(pairs):
    return pairs

@quiver.plan("two")
def plan_two(a, b=1, *, task):
    return quiver.Plan(args=[a, b, task.name])

@quiver.handler("read", arrow="reader")
def read(reader):
    return None

@quiver.plan("read")
def plan_read(reader):
    return quiver.Plan(fairness_key=type(reader).__name__)
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        assert running.go() == ["save", "save#plan", "two", "two#plan", "read", "read#plan"]
        yield running


@pytest.fixture
def no_handlers(monkeypatch):
    monkeypatch.setattr(handlers, "_registered", {})
    monkeypatch.setattr(handlers, "_found", {})


@pytest.mark.parametrize(
    "draft, text",
    [
        ("none", "{}"),
        ("over", '{"done":true}'),
        ("done", '{"done":true,"result":7,"tasks":[{"handler":"sync","args":["save#plan"]}]}'),
        ("args", '{"relPriority":5,"tags":["send"],"resources":["online"],"args":["args",7]}'),
    ],
)
def test_a_plan_answers_with_effects_always(pod, draft, text):
    assert pod.done("save#plan", json.dumps([draft]).encode(), ARGUMENTS) == (EFFECTS, text.encode())
    assert pod.done("save#plan", json.dumps(draft).encode(), JSON) == (EFFECTS, text.encode())
    assert pod.done("save", json.dumps(draft).encode(), JSON)[0] == EFFECTS


@pytest.mark.parametrize(
    "draft, reason, words",
    [
        ("blocked", BLOCKED, "online"),
        ("dict", EXCEPTION, "TypeError: the plan of 'save' returned dict: it returns a quiver.Plan, a quiver.Done, or None"),
        ("many", DO_NOT_RETRY, "DoNotRetry: Plan: tasks has 65 elements, at most 64 are taken"),
        ("large", TOO_LARGE, "output: 2000025 bytes, the slot takes 1048576"),
        ("long", DO_NOT_RETRY, "DoNotRetry: Plan: args has 65537 bytes of JSON, at most 65536 are kept"),
        ("name", EXCEPTION, "ValueError: Plan: tags has 'a b', 1 to 128 printable characters of ASCII"),
    ],
)
def test_a_plan_fails_as_a_function_does(pod, draft, reason, words):
    result = pod.run("save#plan", json.dumps(draft).encode(), JSON)
    assert (result.stage, result.reason) == (RETRY, reason) and result.message.startswith(words)
    pod.acknowledge()


def test_plans_of_a_dispatch_are_called_one_by_one(pod):
    drafts = [{"handler": "save#plan", "payload": json.dumps(d).encode(), "format": JSON} for d in ("none", "over")]
    result, outcomes = pod.run_batch(drafts)
    assert not result.whole and [(o.format, o.output) for o in outcomes] == [(EFFECTS, b"{}"), (EFFECTS, b'{"done":true}')]
    pod.acknowledge()
    pair = {"handler": "two#plan", "payload": b"[[1,2]]", "format": ARGUMENTS}
    result, outcomes = pod.run_batch([pair, pair])
    assert [json.loads(o.output)["args"] for o in outcomes] == [[[1, 2], 1, f"set/task-{i}"] for i in range(2)]
    pod.acknowledge()


def test_a_plan_is_called_as_its_function_would_be(pod):
    assert pod.done("two#plan", b"[1, 2]", ARGUMENTS) == (EFFECTS, b'{"args":[1,2,"set/task-0"]}')
    result = pod.run("two#plan", b"[]", ARGUMENTS)
    assert result.reason == INPUT_INVALID
    assert result.message.startswith("0 arguments for handler 'two#plan', which takes (a, b=1, *, task): missing")
    pod.acknowledge()


def test_a_plan_reads_arrow_as_its_function_does(pod):
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    sink = pyarrow.BufferOutputStream()
    table = pyarrow.table({"x": [1]})
    with pyarrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    said = pod.done("read#plan", sink.getvalue().to_pybytes(), ARROW)
    assert said == (EFFECTS, b'{"fairnessKey":"RecordBatchReader"}')


def test_a_function_without_a_plan_has_none(pod):
    result = pod.run("sync#plan")
    assert result.reason == NOT_FOUND and result.message.startswith("no handler 'sync#plan' here; served are: save, ")
    pod.acknowledge()


def test_the_order_of_the_two_does_not_matter(no_handlers):
    quiver.plan("a")(lambda value: None)
    quiver.handler("a", trusted=True)(lambda value: None)
    plans.join()
    assert handlers.names() == ["a#plan", "a"] and handlers.find(b"a#plan").trusted


def test_the_names_of_plans_are_reserved(no_handlers):
    for decorator in (quiver.handler, quiver.iterator, quiver.plan):
        with pytest.raises(ValueError, match="does not end in '#plan', which is for plans: 'a#plan'"):
            decorator("a#plan")
    with pytest.raises(ValueError, match="a handler with a plan has at most 123 bytes, .* has 124"):
        quiver.plan("x" * 124)
    quiver.handler("x" * 123)(len)
    quiver.plan("x" * 123)(len)
    plans.join()
    assert len(handlers.names()[1]) == 128


def test_a_plan_belongs_to_one_function(no_handlers):
    function = quiver.plan("a")(len)
    assert function is len
    with pytest.raises(ValueError, match="two functions want the name 'a#plan'"):
        quiver.plan("a")(abs)
    with pytest.raises(ProtocolError, match=r"@quiver.plan\('a'\) is for a function that has @quiver.handler: it is missing"):
        plans.join()
    quiver.iterator("a")(len)
    with pytest.raises(ProtocolError, match="it is an iterator"):
        plans.join()


def test_a_plan_counts_as_a_handler(no_handlers):
    for i in range(63):
        quiver.handler(f"f{i}")(len)
    quiver.plan("f0")(len)
    with pytest.raises(ValueError, match="at most 64 handlers, and each plan and contingency is one"):
        quiver.plan("f1")(len)


def test_a_process_with_a_plan_alone_does_not_start():
    with Pod("import quiver\nquiver.plan('a')(len)") as pod:
        assert pod.ended() == 1
        assert "@quiver.plan('a') is for a function that has @quiver.handler: it is missing" in pod.stderr()


def nested():
    task = quiver.call("f")
    for _ in range(100_000):
        task = {"chain": [task]}
    return task


@pytest.mark.parametrize(
    "task, words",
    [
        (lambda: {"handler": "f", "planSeconds": 3}, "there is no plan"),
        (lambda: quiver.call("f#plan"), "ends in #plan, which only workers say"),
        (lambda: quiver.call("f", pool="A B"), "no name of a WorkerPool"),
        (lambda: quiver.chain(quiver.call("f", once="x")), "it is of a whole task"),
        (lambda: {**quiver.chain(), "once": {"name": "x", "until": "Start"}}, "not of a composite"),
        (lambda: {"handler": "f", "once": "x"}, "once of a node is what"),
        (nested, "nested"),
    ],
)
def test_what_a_worker_would_refuse_is_refused_where_it_is_made(task, words):
    with pytest.raises((ValueError, TypeError), match=rf"^Done: tasks\[0\].*{words}"):
        quiver.Done(tasks=[task()])


def test_the_nodes_of_all_tasks_are_counted():
    quiver.Done(tasks=[quiver.group([quiver.call("f")] * 99)] * 2)
    with pytest.raises(quiver.DoNotRetry, match="tasks have 202 nodes, at most 200"):
        quiver.Done(tasks=[quiver.group([quiver.call("f")] * 100)] * 2)


def test_what_a_generator_returns_is_not_dropped():
    def bringing():
        yield 1
        return quiver.Done(2)

    with pytest.raises(TypeError, match="a generator returned a Done"):
        outputs.encode(bringing())
    assert outputs.encode(x for x in (1, 2)).data == b"[1,2]"


def test_a_plan_puts_tasks_before_its_own():
    first = [quiver.call("folder", 1, once="folders"), quiver.chain(quiver.call("a"), quiver.call("b"))]
    plan = quiver.Plan(before=iter(first), tasks=[quiver.call("c")])
    assert plan.before == tuple(first)
    assert json.loads(plan.json_of_plan()) == {"tasks": [quiver.call("c")], "before": json.loads(json.dumps(first))}
    with pytest.raises(quiver.DoNotRetry, match="Plan: before has 65 elements, at most 64 are taken"):
        quiver.Plan(before=[quiver.call("a")] * 65)
    with pytest.raises(TypeError, match="Plan: before has 'a', a list of tasks is allowed"):
        quiver.Plan(before="a")


def test_a_plan_says_what_would_undo_it():
    back = [quiver.call("back", 1)]
    assert quiver.Plan(undo=back).json_of_plan() == b'{"undo":[{"handler":"back","args":[1]}]}'
    assert quiver.Done(7, undo=back).json_of_plan() == b'{"done":true,"result":7,"undo":[{"handler":"back","args":[1]}]}'
    with pytest.raises(TypeError, match="undo is of a plan"):
        quiver.Done(7, undo=back).json()
    with pytest.raises(quiver.DoNotRetry, match="undo has 16432 bytes of JSON, at most 16384"):
        quiver.Plan(undo=[quiver.call("back", "x" * 16_400)])
