"""Tasks that an answer brings are checked as in Java: both read the same samples."""

import json
import re
from pathlib import Path

import pytest

import quiver
from quiver import effects

SAMPLES = json.loads(Path(__file__).with_name("brought.json").read_text("utf-8"))


def _said(error):
    """With values as JSON writes them, and fields as a task has them."""
    words = re.sub(r"'((?:[^'\\]|\\.)*)'", r'"\1"', str(error))
    for python, shared in (("True", "true"), ("False", "false"), ("None", "null"), ("complex_key", "complexKey"),
                           ("on_child_error", "onChildError")):
        words = words.replace(python, shared)
    return words


@pytest.mark.parametrize("sample", SAMPLES["refused"], ids=lambda sample: sample["says"][:40])
def test_a_task_that_the_worker_would_refuse_is_refused_with_field_and_value(sample):
    for make in (lambda: quiver.Done(tasks=[{"handler": "f"}, sample["task"]]), lambda: quiver.Plan(before=[{"handler": "f"}, sample["task"]]),
                 lambda: quiver.Plan(undo=[{"handler": "f"}, sample["task"]])):
        with pytest.raises((TypeError, ValueError)) as refused:
            make()
        assert re.match(r"(Done: tasks|Plan: before|Plan: undo)\[1\]", str(refused.value))
        assert sample["says"] in _said(refused.value)


@pytest.mark.parametrize("sample", SAMPLES["taken"], ids=lambda sample: str(sample["nodes"]))
def test_a_task_that_the_worker_takes_is_taken_and_its_nodes_are_counted(sample):
    assert effects._task("here", sample["task"])[0] == sample["nodes"]
    assert quiver.Done(tasks=[sample["task"]]).tasks == (sample["task"],)


@pytest.mark.parametrize("sample", SAMPLES["tooMany"], ids=lambda sample: sample["says"])
def test_too_many_are_refused_with_both_numbers(sample):
    with pytest.raises(quiver.DoNotRetry, match=sample["says"]):
        quiver.Done(tasks=[sample["task"]] * sample["tasks"])
