"""What becomes of tasks, as a program follows it."""

import json
from collections import deque
from typing import NamedTuple, Optional

from quiver.clients.description import CODES, LIMITS, Reply
from quiver.clients.errors import EventsLost, TaskFailed, WaitTimeout
from quiver.clients.exchange import error_of
from quiver.clients.trees import millis

PAGE = 256  # events of one call
LONGEST_BLOCK = 1.0  # seconds for which Redis holds a call back
LONGEST_BLIND = 5.0  # seconds without a look at the states of those that are waited for: some ends have no event
_ASK = b"?"  # in place of an outcome


class Event(NamedTuple):
    """What became of a task, or of a node of one. kind is planned, executed or failed, id the node's, handler the function
    that it calls, None of others; at seconds since 1970 by Redis' clock. result is its value, error a TaskFailed or
    TaskCancelled. told is False where Redis has the outcome and the event has not: it is above 4 KiB, or made of other
    nodes' results; q.result(event.id) reads it while it is kept. Behind position other events follow."""

    position: str
    at: float
    kind: str
    id: str
    handler: Optional[str]
    result: object
    error: Optional[TaskFailed]
    told: bool

    @classmethod
    def of(cls, row):
        position, kind, id, outcome = (row[name] for name in ("position", "kind", "id", "outcome"))
        position, kind, id = position.decode(), kind.decode(), id.decode()
        result = error = None
        if outcome[:1] == b"J":
            try:
                result = json.loads(outcome[outcome.index(b"\n") + 1:])
            except (ValueError, RecursionError):  # whatever a worker wrote: the others are told all the same
                outcome = _ASK
        elif outcome[:1] == b"E":
            error = error_of(id, outcome)
        return cls(position, int(position[:position.index("-")]) / 1000, kind, id, row["handler"].decode() or None, result,
                   error, outcome != _ASK)


class Reader:
    """The conversations of one who follows."""

    def __init__(self, lease):
        most = LIMITS["eventsLease"] / 1000
        if isinstance(lease, bool) or not isinstance(lease, (int, float)) or not 0 < lease <= most:
            raise ValueError(f"lease is a number of seconds above 0, {most:.0f} at most, not {lease!r}")
        self.lease = lease
        self.position = ""

    def _ask(self, exchange, position):
        arguments = (position, PAGE, max(1, millis("lease", self.lease)))
        return Reply("events", (yield from exchange.call("events", arguments)))

    def begin(self, exchange):
        """From now on."""
        self.position = (yield from self._ask(exchange, ""))["position"].decode()

    def some(self, exchange, until):
        """The next events in order; none when the time is over. until is None for as long as it takes."""
        while True:
            reply = yield from self._ask(exchange, self.position)
            if reply.code == CODES["GAP"]:
                raise EventsLost(reply["position"].decode())
            found = [Event.of(row) for row in reply["events"]]
            if found:
                self.position = reply["position"].decode()
                return found
            wait = min(LONGEST_BLOCK, self.lease / 3)
            if until is not None:
                wait = min(wait, until - exchange.clock())
                if wait <= 0:
                    return []
            yield from exchange.await_event(self.position, wait)

    def wait(self, exchange, ids, timeout):
        """Until all of these nodes have ended."""
        until = None if timeout is None else exchange.clock() + timeout
        left = set(ids)
        while True:
            yield from self.begin(exchange)  # before their states are read: what ends later is told
            left = yield from _open(exchange, left)
            look = exchange.clock() + LONGEST_BLIND
            while left and exchange.clock() < look:
                if until is not None and exchange.clock() >= until:
                    raise WaitTimeout(list(left))
                try:
                    found = yield from self.some(exchange, look if until is None else min(look, until))
                except EventsLost:
                    break  # their states tell
                left.difference_update(event.id for event in found if event.kind != "planned")
            if not left:
                return
            if until is not None and exchange.clock() >= until:
                raise WaitTimeout(list(left))


def _open(exchange, ids):
    """Those of the nodes that have not ended."""
    waiting, unseen = deque(ids), len(ids)
    while unseen > 0:
        asked = len(waiting)
        yield from exchange.look(waiting)
        unseen -= min(asked, exchange.LOOKED_AT)
    return set(waiting)


class BaseEvents:
    """What becomes of the tasks of a keyspace, in the order in which it happens: each end of a task or of a node of one, and
    each plan that was made. A node that goes with the composite above it has no event, nor have tasks of TaskSets.

    Redis writes events while somebody follows them, and for `lease` seconds behind the last call. Iterating waits for the
    next one, without an end. EventsLost says that some are gone: nobody asked in time, or they came faster than they were
    read. States tell the truth then, and iterating again goes on with what is there. For one thread, or one task of a loop.
    """

    def __init__(self, client, reader):
        self._client = client
        self._reader = reader
        self._ready = deque()
        self._given = ""
        self._asked = None  # when Redis was asked last

    @property
    def position(self):
        """Of the last event that was given out. Client.events(after=position) goes on behind it, also in another process."""
        return self._given

    def _begin(self, exchange, after):
        if after is None:
            yield from self._reader.begin(exchange)
        else:
            self._reader.position = after
        self._given = self._reader.position
        self._asked = exchange.clock()

    def _some(self, exchange, timeout):
        """Fills up what is ready; where something is, only often enough that the lease does not end."""
        if self._ready and exchange.clock() - self._asked < self._reader.lease / 3:
            return
        until = exchange.clock() if self._ready else None if timeout is None else exchange.clock() + timeout
        try:
            self._ready.extend((yield from self._reader.some(exchange, until)))
            self._asked = exchange.clock()
        except EventsLost as lost:
            self._reader.position = self._given = lost.position
            raise

    def _next(self):
        event = self._ready.popleft() if self._ready else None
        if event:
            self._given = event.position
        return event
