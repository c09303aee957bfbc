import json
import re
from pathlib import Path

import pytest
from conftest import REPOSITORY

import quiver
from quiver import nodes

READER = REPOSITORY / "operator/lifecycle/src/main/java/dev/quiver/lifecycle/task/model/TreeNodeJson.java"


def test_a_call_has_a_name_and_arguments():
    assert quiver.call("resize", {"url": "u"}, 7) == {"handler": "resize", "args": [{"url": "u"}, 7]}
    assert quiver.call("f") == {"handler": "f", "args": []}


def test_a_command_has_words_that_may_be_paths():
    assert quiver.command(["convert", Path("/a b")], working_dir=Path("/w"), env={"A": "b"}) == {
        "command": ["convert", "/a b"], "workingDir": "/w", "env": {"A": "b"}}


def test_composites_take_tasks_and_lists_of_them():
    a, b, c = (quiver.call(name) for name in "abc")
    assert quiver.chain(a, quiver.group(b, c)) == {"chain": [a, {"group": [b, c]}]}
    assert quiver.group(a, (quiver.call(n) for n in "bc"), window=2) == {"group": [a, b, c], "window": 2}
    assert quiver.chain([]) == quiver.chain() == {"chain": []}


def test_a_for_each_takes_one_task():
    page = quiver.chain(quiver.call("load"), quiver.call("store"))
    assert quiver.for_each(page, window=3) == {"forEach": page, "window": 3}
    with pytest.raises(TypeError, match="list is no task"):
        quiver.for_each([page])


def test_every_field_of_a_node_can_be_said_and_no_other():
    """As the supervisor reads them."""
    common = {"name": "n", "pool": "p", "max_trials": 2, "backoff": 5, "total": 3, "env": {},
              "active_deadline_seconds": 4, "rel_priority": -1, "tags": ["t"], "fairness_key": "k",
              "resources": ["r"]}
    said = [
        quiver.call("f", plan=True, plan_seconds=60, undo=True, contingency=True, once="o", **common),
        quiver.call("f", complex_key="k"),
        quiver.command([], working_dir="/", **common),
        quiver.chain(name="n", on_child_error="Continue", active_deadline_seconds=4),
        quiver.group(name="n", window=2, on_child_error="Fail", active_deadline_seconds=4),
        quiver.for_each(quiver.call("f"), name="n", window=2, on_child_error="Continue", active_deadline_seconds=4),
    ]
    fields = re.search(r"FIELDS = Set\.of\((.*?)\);", READER.read_text(), re.S).group(1)
    kinds = re.search(r"KINDS = Set\.of\((.*?)\);", READER.read_text(), re.S).group(1)
    assert {field for node in said for field in node} == set(re.findall(r'"(\w+)"', fields))
    assert set(nodes.KINDS) == set(re.findall(r'"(\w+)"', kinds))
    assert said[0] == {"handler": "f", "args": [], "name": "n", "pool": "p", "maxTrials": 2,
                       "backoff": {"initialSeconds": 5}, "total": 3, "env": {}, "activeDeadlineSeconds": 4,
                       "relPriority": -1, "tags": ["t"], "fairnessKey": "k", "resources": ["r"],
                       "plan": True, "planSeconds": 60, "undo": True, "contingency": True,
                       "once": {"name": "o", "until": "End", "replace": False}}
    json.dumps(said)


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: quiver.call(len), "handler is a text"),
        (lambda: quiver.command("ls -l"), "a list of words, not 'ls -l'"),
        (lambda: quiver.command([7]), "not int"),
        (lambda: quiver.chain("a"), "str is no task: quiver.call, command, chain, group and for_each make one"),
        (lambda: quiver.group(None), "NoneType is no task"),
        (lambda: quiver.group([{}]), "a dict of nothing is no task"),
        (lambda: quiver.chain({"handler": "a", "group": []}), "a dict of 'handler', 'group' is no task"),
        (lambda: quiver.call("a", name=7), "name is a text, not 7"),
        (lambda: quiver.call("a", plan=1), "plan is True or False, not 1"),
        (lambda: quiver.call("a", plan_seconds=1.5), "plan_seconds is a whole number of seconds, not 1.5"),
        (lambda: quiver.call("a", plan_seconds=True), "plan_seconds is a whole number of seconds, not True"),
        (lambda: quiver.group({"command": ["a"], "plan": True}), "plan is a field of a call alone: a command has no plan"),
        (lambda: quiver.chain({"group": [], "planSeconds": 1}), "planSeconds is a field of a call alone: a group has no plan"),
        (lambda: quiver.chain({"handler": "a", "plan": "yes"}), "plan is True or False, not 'yes'"),
        (lambda: quiver.command(["a"], plan=True), "unexpected keyword argument 'plan'"),
    ],
)
def test_what_is_no_task_is_refused_where_it_is_made(make, words):
    with pytest.raises(TypeError, match=re.escape(words)):
        make()


@pytest.mark.parametrize("seconds", [0, 61])
def test_a_plan_has_a_minute_at_most(seconds):
    with pytest.raises(ValueError, match=f"plan_seconds is 1 to 60, not {seconds}"):
        quiver.call("a", plan=True, plan_seconds=seconds)
    with pytest.raises(ValueError, match=f"planSeconds is 1 to 60, not {seconds}"):
        nodes.check({"handler": "a", "plan": True, "planSeconds": seconds})
