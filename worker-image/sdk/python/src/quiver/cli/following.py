"""A run is followed to its end: progress, failures as they come, and the exit code of how it ended."""

import sys
import time

from quiver.cli import kinds, state, text
from quiver.cli.errors import DONE, FAILED, STOPPED, TIMED_OUT

_STOPPED = ("Cancelled", "DeadlineExceeded", "AlreadyQueued", "Replaced")
_LINE_SECONDS = 10  # between two lines of progress where no terminal redraws one


def follow(api, kind, found, deadline, quiet=False):
    """The exit code and the last state of a run. deadline is an instant of time.monotonic(), or None.

    The state is None where the run was deleted, and the code TIMED_OUT where the deadline came first.
    """
    shown = _Shown(kinds.label(kind, found), quiet)
    meta = found["metadata"]
    for seen in api.watched(kind.path(meta["namespace"]), meta["name"], deadline, text.note):
        if seen is None or seen["metadata"]["uid"] != meta["uid"]:
            shown.end()
            text.note(f"{kinds.label(kind, found)} was deleted")
            return STOPPED, None
        found = seen
        told = state.summary(kind, seen)
        shown.state(told, state.failures(kind, seen))
        if told["finished"]:
            shown.end()
            return code(told), seen
    shown.end()
    text.note(f"{kinds.label(kind, found)} has not ended in time, and goes on")
    return TIMED_OUT, found


def code(told):
    """The exit code of a run that has ended."""
    if told["succeeded"]:
        return DONE
    return STOPPED if told["reason"] in _STOPPED else FAILED


def last_words(kind, found):
    """Prints how a run ended."""
    told = state.summary(kind, found)
    text.line(f"{kinds.label(kind, found)}: {told['reason']}" + (f", {told['progress']}" if told["progress"] else ""))
    if told["message"]:
        text.wrapped(told["message"], "  ")


class _Shown:
    """What of a run was printed so far."""

    def __init__(self, label, quiet):
        self._label, self._quiet = label, quiet
        self._redrawn = not quiet and sys.stdout.isatty()
        self._failures, self._line, self._at, self._open = set(), "", float("-inf"), False

    def state(self, told, sample):
        if self._quiet:
            return
        fresh = [one for one in sample if (one["task"], one["trial"]) not in self._failures]
        self._failures.update((one["task"], one["trial"]) for one in fresh)
        if fresh:
            from quiver.cli.verbs.status import print_failures

            self.end()
            print_failures(fresh)
        self._progress(told)
        sys.stdout.flush()

    def _progress(self, told):
        parts = [told["progress"] or "", "" if told["percent"] is None else f"{told['percent']} %", told["reason"],
                 f"{told['failedTasks']} failed" if told.get("failedTasks") else "",
                 f"ETA {told['eta']}" if told["eta"] and not told["finished"] else ""]
        line = f"{self._label}: " + ", ".join(filter(None, parts))
        if line == self._line:
            return
        if self._redrawn:
            print("\r\x1b[K" + text.cut(text.printable(line), (text.width() or text.WIDTH) - 1), end="")
            self._open = True
        elif told["reason"] != "Running" or time.monotonic() - self._at >= _LINE_SECONDS:
            text.line(line)
            self._at = time.monotonic()
        self._line = line

    def end(self):
        """Leaves a line that is being redrawn."""
        if self._open:
            print()
            self._open = False
