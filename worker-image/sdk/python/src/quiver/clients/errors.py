"""What a program that creates tasks may meet."""


class ClientError(Exception):
    """Whatever a client raises beside TypeError and ValueError.

    batch is the batch whose flush raised this, also that of Client.task() and map(); None for other errors. What was not
    created is still in it: batch.flush() tries again, and batch.pending has the handles.
    """

    batch = None


class StoreUnavailable(ClientError):
    """Redis gave no answer in time. A batch may have been created: flush it again, it counts once."""


class StoreRefused(ClientError):
    """Redis refused a call; the words are its own, or say what is missing. That call did nothing; those of the batch before
    it are done."""


class UnknownPool(ClientError):
    """No WorkerPool of this keyspace has that name. Nothing of what was flushed was created."""

    def __init__(self, pool, prefix):
        super().__init__(f"keyspace {prefix} has no WorkerPool called {pool}")
        self.pool = pool


class TaskFailed(ClientError):
    """A task ended with an error.

    node is the id of the node that failed first, reason one word, message for people, trial the number of the trial
    that ended it, 0 where none did.
    """

    def __init__(self, node, reason, message, trial=0):
        super().__init__(f"{reason}: {message}" if message else reason)
        self.node = node
        self.reason = reason
        self.message = message
        self.trial = trial


class TaskCancelled(TaskFailed):
    """A task was cancelled."""


class TaskGone(ClientError):
    """A task is not there: it ended and was kept no longer, was never created, or a crash of Redis lost it."""


class WaitTimeout(ClientError, TimeoutError):
    """Tasks have not ended in time; `left` are those."""

    def __init__(self, left):
        super().__init__(f"{len(left)} tasks have not ended in time")
        self.left = left


class EventsLost(ClientError):
    """Some events are gone that were not read: nobody followed for longer than the lease, or they came too fast. The states
    of tasks tell what became of them. position is from where events are there."""

    def __init__(self, position):
        super().__init__("events are lost: look at the states of tasks")
        self.position = position
