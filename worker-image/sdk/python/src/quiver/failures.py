"""What is said of a trial that did not pass."""

import os
import traceback
from typing import NamedTuple, Optional

from quiver.errors import Blocked, DoNotRetry, InputInvalid, NotServed, OutputTooLarge, RetryAfter
from quiver.library import Reason

_PACKAGE = os.path.dirname(__file__) + os.sep
_REASONS = {
    DoNotRetry: Reason.DO_NOT_RETRY,
    InputInvalid: Reason.INPUT_INVALID,
    OutputTooLarge: Reason.OUTPUT_TOO_LARGE,
    NotServed: Reason.HANDLER_NOT_FOUND,
}
_SAY_ALL = (InputInvalid, OutputTooLarge, NotServed)  # words of their own, no place in the user's code


class Failure(NamedTuple):
    """For the status."""

    reason: int
    text: str  #: "Type: message"
    traceback: Optional[str]
    retry_after_ms: int = 0


def of(error, traced=True):
    """The failure that this exception means. Without its traceback, which takes time, where nobody keeps that."""
    if isinstance(error, Blocked):
        return Failure(Reason.BLOCKED, error.resource, None, max(1, int(error.seconds * 1000)))
    reason = next((r for kind, r in _REASONS.items() if isinstance(error, kind)), Reason.EXCEPTION)
    if isinstance(error, _SAY_ALL):
        return Failure(reason, _words(error), None)
    text = f"{type(error).__qualname__}: {_words(error)}"
    after = max(1, int(error.seconds * 1000)) if isinstance(error, RetryAfter) else 0
    return Failure(reason, text, _trace(error) if traced else None, after)


def called_off(why):
    """The failure of a task that was stopped; `why` is what the slot says, 0 if nobody but the function wanted it."""
    return Failure(why or Reason.EXCEPTION, "stopped" if why else "Cancelled: raised by the function itself", None)


def _words(error):
    """Its message; the user's class makes it, and may fail to."""
    try:
        return str(error)
    except Exception as unprintable:
        return f"(no message: its __str__ raised {type(unprintable).__qualname__})"


def _trace(error):
    """The traceback from the user's code on: our own frames above it say nothing."""
    at = error.__traceback__
    while at is not None and at.tb_frame.f_code.co_filename.startswith(_PACKAGE):
        at = at.tb_next
    return "".join(traceback.format_exception(type(error), error, at))
