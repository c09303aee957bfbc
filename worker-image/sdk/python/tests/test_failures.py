"""What is said of an exception."""

from quiver import failures


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
