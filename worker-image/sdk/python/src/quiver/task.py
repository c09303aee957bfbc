"""What a function can know of its task, and say about it."""

import json
import logging
import time

from quiver.packet import Packet

_ARGUMENTS = "QUIVER_ARGS"  # a JSON array
_log = logging.getLogger("quiver.task")


class Task:
    """The running task, the second argument of a handler. Any thread may use it; when the task has ended it is silent."""

    __slots__ = ("trial", "allowed", "log", "_name", "_handler", "_environment", "_parsed", "_slot")

    def __init__(self, slot, name, handler, trial, allowed, environment):
        self.trial = trial  #: this try, from 1
        self.allowed = allowed  #: tries in all, 0 if unknown
        self.log = _log  #: a logging.Logger; its records carry the task's name as `task`
        self._name = name
        self._handler = handler
        self._environment = environment
        self._parsed = None
        self._slot = slot

    @property
    def name(self):
        """For people."""
        return self._name.decode(errors="replace")

    @property
    def handler(self):
        """The name it was called by."""
        return self._handler.decode(errors="replace")

    @property
    def env(self):
        """The task's variables: QUIVER_TASK, QUIVER_INDEX and the like, and the TaskSet's own."""
        if self._parsed is None:
            texts = self._environment.decode(errors="surrogateescape").split("\0")
            self._parsed = dict(text.split("=", 1) for text in texts if "=" in text)
        return self._parsed

    @property
    def tokens(self):
        """The token of each permit that the task holds, by the resource's name. Each grant of a permit has a higher one than all
        before it: a store that remembers the highest can refuse what comes of a task whose worker was taken for lost."""
        return json.loads(self.env.get("QUIVER_TOKENS", "{}"))

    @property
    def undo(self):
        """Whether this is the call of a plan that is to say what would undo the task, see quiver.Plan."""
        return "QUIVER_UNDO" in self.env

    @property
    def deadline(self):
        """When the trial is cut off, on the clock of time.monotonic(); None for never."""
        slot = self._slot
        nanos = slot.deadline() if slot else 0
        return nanos / 1e9 if nanos else None

    @property
    def cancelled(self):
        """Whether the function should stop. Cheap enough for a loop."""
        slot = self._slot
        return slot is None or slot.cancelled() != 0

    def progress(self, done, total=0):
        """How far it is, in units of its own, both from 0 to 2**63 - 1; total 0 is not known."""
        if not 0 <= done < 2**63 or not 0 <= total < 2**63:
            raise ValueError(f"progress: numbers must be 0 to 2**63 - 1, not {done!r} of {total!r}")
        slot = self._slot
        if slot:
            slot.progress(int(done), int(total))

    def extend(self, seconds):
        """Asks for so much time from now on. At most the task's own limit is granted, within 200 ms."""
        if not 0 <= seconds < 2**62 / 1e9:
            raise ValueError(f"extend: seconds must be 0 or more and finite, not {seconds!r}")
        slot = self._slot
        if slot:
            slot.extend(time.monotonic_ns() + int(seconds * 1e9))

    def packet(self):
        """A snapshot of the slot, None when the task has ended."""
        slot = self._slot
        data = slot.packet() if slot else None
        return Packet.decode(data) if data else None

    def _arguments(self):
        """Those before an input that is Arrow."""
        return json.loads(self.env[_ARGUMENTS]) if _ARGUMENTS.encode() in self._environment else []

    def _end(self):
        self._slot = None
