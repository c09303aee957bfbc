"""What a batch has still to say to Redis. No I/O."""

from collections import deque

from quiver.clients import trees
from quiver.clients.description import new_id


class Producer:
    """A name under which Redis counts calls from 1 on. It does each number once and in order, and remembers the name for
    a while after the last one. One submission at a time has it: what is on its way under a name may arrive late, and
    nothing else may follow it there."""

    __slots__ = ("name", "next", "counted_at")

    def __init__(self, now):
        self.name = new_id()
        self.next = 1
        self.counted_at = now


class Submission:
    """The calls of a batch that Redis has not confirmed.

    unchecked: pools that were not looked up yet. producer: under which calls were sent; None before. unknown_since: when
    the first call left whose outcome is not known, or None. open_since: when Redis got the first piece of a tree whose last
    piece it has not got, or None.
    """

    __slots__ = ("calls", "unchecked", "producer", "unknown_since", "open_since")

    def __init__(self, made=()):
        self.calls = deque()
        self.unchecked = set()
        self.producer = None
        self.unknown_since = None
        self.open_since = None
        self.add(made)

    def add(self, made):
        """Trees, behind those that wait."""
        for call in trees.calls(made):
            self.calls.append(call)
            self.unchecked.update(call.pools)

    def count(self, now):
        """The first call is done."""
        self.producer.next += 1
        self.producer.counted_at = now
        if not self.calls.popleft().open:
            self.open_since = None
        elif self.open_since is None:
            self.open_since = now
