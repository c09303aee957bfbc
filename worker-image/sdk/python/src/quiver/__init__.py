"""Handlers for Quiver: functions of a process that stays alive, one for each slot of a worker pod.

    import quiver

    @quiver.handler("word-count")
    def word_count(text, task):
        return {"words": len(bytes(text).split())}

    if __name__ == "__main__":
        quiver.serve()

The worker pool starts it: `handler: {command: [python, -m, quiver, my_module]}`, or any command that calls serve().
"""

from quiver.errors import Cancelled, DoNotRetry, InputInvalid, OutputTooLarge, ProtocolError, RetryAfter
from quiver.formats import Format
from quiver.handlers import handler
from quiver.iterators import LATER, Iteration, iterator
from quiver.locator import Locator
from quiver.nodes import call, chain, command, group
from quiver.packet import Packet, State
from quiver.serving import serve
from quiver.task import Task

__all__ = [
    "Cancelled",
    "DoNotRetry",
    "Format",
    "InputInvalid",
    "Iteration",
    "LATER",
    "Locator",
    "OutputTooLarge",
    "Packet",
    "ProtocolError",
    "RetryAfter",
    "State",
    "Task",
    "call",
    "chain",
    "command",
    "group",
    "handler",
    "iterator",
    "serve",
]
