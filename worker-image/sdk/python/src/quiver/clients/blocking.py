"""The client of a program that waits."""

import threading
import time
from collections import deque

from quiver.clients import carriers
from quiver.clients.description import Keyspace
from quiver.clients.errors import ClientError
from quiver.clients.events import BaseEvents, Reader
from quiver.clients.exchange import PROGRAM, Exchange, Lost, Pause
from quiver.clients.handles import BaseBatch, Handle, id_of, note_ended, seen_end

MAP_NODES = 2000  # tasks that map() holds


class Batch(BaseBatch):
    __doc__ = BaseBatch.__doc__

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if kind is None:
            self.flush()

    def flush(self):
        """Creates what was made so far. Where it raises, what was not created stays in the batch: another flush goes on where
        this one stopped, and counts nothing twice. It returns when Redis has confirmed all of the batch."""
        with self._client._creating:
            try:
                self._client._run(lambda exchange: exchange.create(self))
            except ClientError as problem:
                problem.batch = self
                raise


class Events(BaseEvents):
    __doc__ = BaseEvents.__doc__

    def __init__(self, client, reader, after):
        super().__init__(client, reader)
        client._run(lambda exchange: self._begin(exchange, after))

    def __iter__(self):
        return self

    def __next__(self):
        return self.next()

    def next(self, timeout=None):
        """The next event; None where none came in so many seconds."""
        self._client._run(lambda exchange: self._some(exchange, timeout))
        return self._next()

    def wait(self, tasks, timeout=None):
        """Until all have ended, as of Client.wait(), and told of it at once: what takes long is not asked for again and again.
        Takes no event away from those who iterate."""
        ids = [id_of(task) for task in _listed(tasks)]
        self._client._run(lambda exchange: Reader(self._reader.lease).wait(exchange, ids, timeout))


class Client:
    """Creates tasks in a keyspace, waits for them and reads their results. Threads may share it."""

    def __init__(self, url, namespace, keyspace=None, *, pool="default", keep=3600, patience=30, durable=False, **options):
        import redis
        import redis.backoff
        import redis.retry
        import redis.sentinel

        self._errors = redis.exceptions
        self._redis = carriers.connect(redis, redis.sentinel, redis.backoff, redis.retry, url, options)
        self._exchange = Exchange(Keyspace(namespace, keyspace), patience)
        self._creating = threading.Lock()  # one submission at a time
        self._pool = pool
        self._keep = keep
        self._durable = durable
        try:
            self._run(Exchange.open)
        except BaseException:
            self._redis.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self, resource=None, *, seconds=None, owner=PROGRAM, pool=None):
        """Ends the client. With a resource: closes that one instead, or all of a pattern such as "tenant!*". Tasks that name it
        are not given out until nobody has it closed; what runs goes on. It lasts so many seconds; None: until this owner
        opens it. Answers whether it was open to the owner."""
        if resource is None:
            return self._redis.close()
        return self._run(lambda exchange: exchange.gate(pool or self._pool, owner, resource, "close", seconds))

    def open(self, resource, *, owner=PROGRAM, everyone=False, pool=None):
        """Takes back what this owner closed; with everyone=True what anybody closed, and `initially: Missing` of the pool.
        Answers whether that changed anything."""
        what = "open_all" if everyone else "open"
        return self._run(lambda exchange: exchange.gate(pool or self._pool, owner, resource, what))

    def resources(self, *, pool=None):
        """What is known of the pool's resources: those first for which most tasks wait, each with name, missing, since,
        waiting, closed_by and declared."""
        return self._run(lambda exchange: exchange.resources(pool or self._pool))

    def complex_state(self, handler, key, *, pool=None):
        """What a complex task of the pool keeps for a key, for a view of what is about to be: a ComplexState, None for nothing."""
        return self._run(lambda exchange: exchange.complex_state(pool or self._pool, handler, key))

    def batch(self, *, pool=None, keep=None, durable=None):
        """Tasks that are created together, in as few calls as possible; a pool and a keep for all that name none. With
        durable=True its flush returns when they survive the loss of Redis' machine, and is refused where Redis cannot tell."""
        return Batch(self, pool or self._pool, self._keep if keep is None else keep,
                     self._durable if durable is None else durable)

    def task(self, handler, args=(), **options):
        """One task, created at once; see Batch.task()."""
        with self.batch() as batch:
            return batch.task(handler, args, **options)

    def map(self, handler, arguments, **options):
        """A task for each of many arguments, created while they are read; the list of handles."""
        handles, batch = [], self.batch()
        for argument in arguments:
            handles.append(batch.task(handler, (argument,), **options))
            if len(handles) % MAP_NODES == 0:
                batch.flush()
        batch.flush()
        return handles

    def handle(self, id):
        """A task that another program has created, by its id."""
        return Handle(self, id)

    def wait(self, tasks, timeout=None):
        """Until all have ended, however; WaitTimeout after so many seconds."""
        ids = [id_of(task) for task in _listed(tasks)]
        self._run(lambda exchange: exchange.wait(ids, timeout))

    def events(self, *, after=None, lease=60):
        """What becomes of tasks from now on, or behind the position that an Events had; see Events."""
        return Events(self, Reader(lease), after)

    def as_completed(self, tasks, timeout=None):
        """Yields tasks as they end."""
        waiting, of = deque(), {}
        for task in _listed(tasks):
            if id_of(task) not in of:
                waiting.append(id_of(task))
            of.setdefault(id_of(task), []).append(task)
        until = None if timeout is None else time.monotonic() + timeout
        while waiting:
            yield from note_ended(self._run(lambda exchange: exchange.wait_some(waiting, until)), of)

    def result(self, task, timeout=None):
        """Waits for a task; its value, or TaskFailed, TaskCancelled, TaskGone."""
        ended = seen_end(task)
        if ended is not None:
            return _values([self._run(lambda exchange: ended.outcome(exchange, task.id))], False)[0]
        return self.results([task], timeout)[0]

    def results(self, tasks, timeout=None, return_exceptions=False):
        """The same of many, in their order, in a few reads."""
        ids = [id_of(task) for task in _listed(tasks)]
        self._run(lambda exchange: exchange.wait(ids, timeout))
        return _values(self._run(lambda exchange: exchange.outcomes(ids)), return_exceptions)

    def state(self, task):
        return self.states([task])[0]

    def states(self, tasks):
        ids = [id_of(task) for task in _listed(tasks)]
        return self._run(lambda exchange: exchange.states(ids))

    def boosts(self, owner, boosts, *, lease=None, pool=None):
        """What this owner adds to the priority of tags, a dict of tag to number, in place of what it added before. Waiting
        tasks move at once. With a lease, in seconds, they end with it unless the owner says them again."""
        return self._run(lambda exchange: exchange.boosts(pool or self._pool, owner, boosts, lease))

    def undo(self, task):
        """Undoes a task that was made with undo=True. One that waits is cancelled, and the tasks are created that its plan left.
        Those of a chain or a group are one task, with what its last plan left first. Their handles are the answer: none
        where no plan was made yet. A repeat creates none, and gives the same. Raises ValueError while it runs, and for a
        task within a composite; TaskGone where it is not kept any longer.
        """
        return [self.handle(id) for id in self._run(lambda exchange: exchange.undo(id_of(task)))]

    def cancel(self, task):
        return self._run(lambda exchange: exchange.cancel(id_of(task)))

    def _run(self, conversation):
        steps, answer, problem = conversation(self._exchange), None, None
        try:
            while True:
                asked = steps.throw(problem) if problem else steps.send(answer)
                answer, problem = None, None
                if isinstance(asked, Pause):
                    time.sleep(asked)
                    continue
                try:
                    answer = self._ask(asked)
                except Lost as lost:
                    problem = lost
        except StopIteration as end:
            return end.value

    def _ask(self, commands):
        pipeline = self._redis.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        try:
            return [carriers.read(reply, self._errors) for reply in pipeline.execute(raise_on_error=False)]
        except (self._errors.RedisError, OSError) as error:
            return [carriers.failure(error, self._errors)] * len(commands)


def _listed(tasks):
    return [tasks] if isinstance(tasks, (Handle, str)) else tasks


def _values(outcomes, return_exceptions):
    if not return_exceptions:
        for outcome in outcomes:
            if isinstance(outcome, Exception):
                raise outcome
    return outcomes
