"""Contingencies: their registration, and a whole process that answers for them."""

import json

import pytest
from pod import EXCEPTION, Pod

import quiver
from quiver import handlers, plans
from quiver.clients.trees import Node
from quiver.errors import ProtocolError
from quiver.formats import Format

ARGUMENTS, EFFECTS = Format.ARGUMENTS, Format.EFFECTS

TASKS = """
import quiver

@quiver.handler("send")
def send(mail):
    return quiver.Redo()

@quiver.plan("send")
def plan(mail):
    return quiver.Plan()

@quiver.contingency("send")
def was_sent(mail, task):
    return {
        "sent": lambda: quiver.Done({"by": task.handler}, tasks=[quiver.call("sync")]),
        "not": lambda: quiver.Redo(),
        "undo": lambda: quiver.Done(undo=[quiver.call("sync")]),
        "none": lambda: None,
        "plan": lambda: quiver.Plan(),
    }[mail]()
"""


@pytest.fixture(scope="module")
def pod():
    with Pod(TASKS) as running:
        assert running.go() == ["send", "send#plan", "send#contingency"]
        yield running


@pytest.fixture
def no_handlers(monkeypatch):
    monkeypatch.setattr(handlers, "_registered", {})
    monkeypatch.setattr(handlers, "_found", {})


@pytest.mark.parametrize(
    "mail, text",
    [
        ("sent", '{"done":true,"result":{"by":"send#contingency"},"tasks":[{"handler":"sync","args":[]}]}'),
        ("not", '{"redo":true}'),
    ],
)
def test_a_contingency_says_whether_it_was_done(pod, mail, text):
    assert pod.done("send#contingency", json.dumps([mail]).encode(), ARGUMENTS) == (EFFECTS, text.encode())


@pytest.mark.parametrize(
    "handler, mail, words",
    [
        ("send#contingency", "none", "the contingency of 'send' returned NoneType: it returns a quiver.Redo or a quiver.Done"),
        ("send#contingency", "plan", "the contingency of 'send' returned Plan"),
        ("send#contingency", "undo", "Done: undo is of a plan"),
        ("send", "not", "a quiver.Redo is what a function with @quiver.contingency returns"),
    ],
)
def test_what_says_neither_is_an_error(pod, handler, mail, words):
    result = pod.run(handler, json.dumps([mail]).encode(), ARGUMENTS)
    assert result.reason == EXCEPTION and result.message.startswith(f"TypeError: {words}")
    pod.acknowledge()


def test_the_names_of_contingencies_are_reserved(no_handlers):
    for decorator in (quiver.handler, quiver.iterator, quiver.plan, quiver.contingency):
        with pytest.raises(ValueError, match="does not end in '#contingency', which is for contingencies: 'a#contingency'"):
            decorator("a#contingency")
    with pytest.raises(ValueError, match="a handler with a contingency has at most 116 bytes, .* has 117"):
        quiver.contingency("x" * 117)
    quiver.contingency("a")(len)
    with pytest.raises(ProtocolError, match=r"@quiver.contingency\('a'\) is for a function that has @quiver.handler: it is missing"):
        plans.join()


def test_a_call_with_a_contingency_is_that_of_a_function_with_a_short_name():
    node = Node(quiver.call("f", contingency=True), "p")
    assert b'"contingency":true' in node.document and node.record("", 0).endswith("\t\t\t\tc\t")
    assert Node(quiver.call("f", contingency=False), "p").record("", 0) == Node(quiver.call("f"), "p").record("", 0)
    for said, problem, words in (
        (lambda: quiver.call("f", contingency=1), TypeError, "contingency is True or False, not 1"),
        (lambda: quiver.call("x" * 117, contingency=True), ValueError, "has a contingency, so it has 116 bytes at most"),
        (lambda: quiver.call("f#contingency"), ValueError, "ends in #contingency, which only workers say"),
        (lambda: {"command": ["a"], "contingency": True}, TypeError, "a command has no contingency"),
    ):
        with pytest.raises(problem, match=words):
            Node(said(), "p")
