"""What is said of an exception."""

import pytest

import quiver
from quiver import failures
from quiver.library import Reason


class Unprintable(Exception):
    def __str__(self):
        raise KeyError("gone")


def test_says_what_it_can_of_an_exception_whose_text_cannot_be_made():
    try:
        raise Unprintable
    except Unprintable as error:
        failure = failures.of(error)
    assert failure.text == "Unprintable: (no message: its __str__ raised KeyError)"
    assert "in test_says_what_it_can" in failure.traceback


def test_a_resource_that_is_missing_is_the_text_and_its_time_the_wait():
    failure = failures.of(quiver.Blocked("tenant!acme", seconds=0.0001))
    assert failure == (Reason.BLOCKED, "tenant!acme", None, 1)


@pytest.mark.parametrize("resource, seconds", [("a b", 1), ("", 1), ("r" * 129, 1), ("r", 0), ("r", 86401), (None, 1)])
def test_a_resource_that_makes_no_sense_is_refused_where_it_is_raised(resource, seconds):
    with pytest.raises(ValueError, match="Blocked: (resource|seconds)"):
        quiver.Blocked(resource, seconds)
