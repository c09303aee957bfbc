"""Handlers for Quiver: functions of a process that stays alive, one for each slot of a worker pod.

    import quiver

    @quiver.handler("word-count")
    def word_count(text, task):
        return {"words": len(bytes(text).split())}

    if __name__ == "__main__":
        quiver.serve()

The worker pool starts it: `handler: {command: [python, -m, quiver, my_module]}`, or any command that calls serve().

A program creates tasks with client(), which needs redis-py: `pip install quiver-sdk[client]`.
"""

from quiver.clients.errors import (
    ClientError,
    EventsLost,
    StoreRefused,
    StoreUnavailable,
    TaskCancelled,
    TaskFailed,
    TaskGone,
    UnknownPool,
    WaitTimeout,
)
from quiver.changes import Change, add, delete, marker
from quiver.changes import set_field as set
from quiver.complexes import complex_task as complex
from quiver.effects import Done, Plan, Redo
from quiver.errors import Blocked, Cancelled, DoNotRetry, InputInvalid, OutputTooLarge, ProtocolError, RetryAfter
from quiver.formats import Format
from quiver.handlers import handler
from quiver.iterators import LATER, Iteration, iterator
from quiver.locator import Locator
from quiver.nodes import call, chain, command, for_each, group
from quiver.once import Once
from quiver.packet import Packet, State
from quiver.plans import contingency, plan
from quiver.serving import serve
from quiver.task import Task


def client(url, namespace, keyspace=None, **options):
    """A client of a namespace's keyspace: with quiver.client(url, namespace="team-a") as q, q.batch() as b: …

    url is that of the Secret quiver-redis-client. Options: pool, the one of tasks that name none ("default"); keep, the
    seconds for which a task is there after its end (3600); patience, the seconds for which a call is tried again (30);
    durable, whether creating tasks returns only when Redis' disk has them (False); all others go to redis-py.
    """
    from quiver.clients.blocking import Client

    return Client(url, namespace, keyspace, **options)


def async_client(url, namespace, keyspace=None, **options):
    """The same for asyncio: async with quiver.async_client(url, namespace="team-a") as q: …"""
    from quiver.clients.asynchronous import AsyncClient

    return AsyncClient(url, namespace, keyspace, **options)

__all__ = [
    "Blocked",
    "Cancelled",
    "Change",
    "ClientError",
    "DoNotRetry",
    "Done",
    "EventsLost",
    "Format",
    "InputInvalid",
    "Iteration",
    "LATER",
    "Locator",
    "Once",
    "OutputTooLarge",
    "Packet",
    "Plan",
    "ProtocolError",
    "Redo",
    "RetryAfter",
    "State",
    "StoreRefused",
    "StoreUnavailable",
    "Task",
    "TaskCancelled",
    "TaskFailed",
    "TaskGone",
    "UnknownPool",
    "WaitTimeout",
    "add",
    "async_client",
    "call",
    "chain",
    "client",
    "command",
    "contingency",
    "delete",
    "for_each",
    "group",
    "handler",
    "iterator",
    "marker",
    "plan",
    "serve",
]
