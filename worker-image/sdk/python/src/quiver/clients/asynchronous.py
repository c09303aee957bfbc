"""The client of an asyncio program."""

import asyncio
import time
from collections import deque

from quiver.clients import carriers
from quiver.clients.blocking import MAP_NODES, _listed, _values
from quiver.clients.description import Keyspace
from quiver.clients.errors import ClientError
from quiver.clients.events import BaseEvents, Reader
from quiver.clients.exchange import PROGRAM, Exchange, Lost, Pause
from quiver.clients.handles import BaseBatch, Handle, id_of, note_ended, seen_end


class Batch(BaseBatch):
    __doc__ = BaseBatch.__doc__

    async def __aenter__(self):
        return self

    async def __aexit__(self, kind, *_):
        if kind is None:
            await self.flush()

    async def flush(self):
        """Creates what was made so far. Where it raises, what was not created stays in the batch: another flush goes on where
        this one stopped, and counts nothing twice. It returns when Redis has confirmed all of the batch."""
        async with self._client._creating:
            try:
                await self._client._run(lambda exchange: exchange.create(self))
            except ClientError as problem:
                problem.batch = self
                raise


class Events(BaseEvents):
    __doc__ = BaseEvents.__doc__

    def __aiter__(self):
        return self

    async def __anext__(self):
        return await self.next()

    async def next(self, timeout=None):
        """The next event; None where none came in so many seconds."""
        await self._client._run(lambda exchange: self._some(exchange, timeout))
        return self._next()

    async def wait(self, tasks, timeout=None):
        """As of the blocking client's Events."""
        ids = [id_of(task) for task in _listed(tasks)]
        await self._client._run(lambda exchange: Reader(self._reader.lease).wait(exchange, ids, timeout))


class AsyncClient:
    """The client with every call awaited: `async with quiver.async_client(…) as q`. Tasks of one loop may share it."""

    def __init__(self, url, namespace, keyspace=None, *, pool="default", keep=3600, patience=30, durable=False, **options):
        import redis
        import redis.asyncio
        import redis.asyncio.retry
        import redis.asyncio.sentinel
        import redis.backoff

        self._errors = redis.exceptions
        self._redis = carriers.connect(
            redis.asyncio, redis.asyncio.sentinel, redis.backoff, redis.asyncio.retry, url, options)
        self._exchange = Exchange(Keyspace(namespace, keyspace), patience)
        self._creating = asyncio.Lock()  # one submission at a time
        self._pool = pool
        self._keep = keep
        self._durable = durable

    async def open(self, resource=None, *, owner=PROGRAM, everyone=False, pool=None):
        """Reads what the keyspace's functions are called; `async with` does so. With a resource as of Client."""
        if resource is not None:
            what = "open_all" if everyone else "open"
            return await self._run(lambda exchange: exchange.gate(pool or self._pool, owner, resource, what))
        try:
            await self._run(Exchange.open)
        except BaseException:
            await self.close()
            raise
        return self

    async def __aenter__(self):
        return await self.open()

    async def __aexit__(self, *_):
        await self.close()

    async def close(self, resource=None, *, seconds=None, owner=PROGRAM, pool=None):
        """As of Client."""
        if resource is None:
            return await self._redis.aclose()
        return await self._run(lambda exchange: exchange.gate(pool or self._pool, owner, resource, "close", seconds))

    async def resources(self, *, pool=None):
        """As of Client."""
        return await self._run(lambda exchange: exchange.resources(pool or self._pool))

    async def complex_state(self, handler, key, *, pool=None):
        """As of Client."""
        return await self._run(lambda exchange: exchange.complex_state(pool or self._pool, handler, key))

    def batch(self, *, pool=None, keep=None, durable=None):
        """Tasks that are created together, in as few calls as possible; a pool and a keep for all that name none. With
        durable=True its flush returns when they survive the loss of Redis' machine, and is refused where Redis cannot tell."""
        return Batch(self, pool or self._pool, self._keep if keep is None else keep,
                     self._durable if durable is None else durable)

    async def task(self, handler, args=(), **options):
        """One task, created at once; see Batch.task()."""
        async with self.batch() as batch:
            return batch.task(handler, args, **options)

    async def map(self, handler, arguments, **options):
        """A task for each of many arguments, created while they are read; the list of handles."""
        handles, batch = [], self.batch()
        for argument in arguments:
            handles.append(batch.task(handler, (argument,), **options))
            if len(handles) % MAP_NODES == 0:
                await batch.flush()
        await batch.flush()
        return handles

    def handle(self, id):
        """A task that another program has created, by its id."""
        return Handle(self, id)

    async def wait(self, tasks, timeout=None):
        """Until all have ended, however; WaitTimeout after so many seconds."""
        ids = [id_of(task) for task in _listed(tasks)]
        await self._run(lambda exchange: exchange.wait(ids, timeout))

    async def events(self, *, after=None, lease=60):
        """What becomes of tasks from now on, or behind the position that an Events had; see Events."""
        events = Events(self, Reader(lease))
        await self._run(lambda exchange: events._begin(exchange, after))
        return events

    async def as_completed(self, tasks, timeout=None):
        """Yields tasks as they end."""
        waiting, of = deque(), {}
        for task in _listed(tasks):
            if id_of(task) not in of:
                waiting.append(id_of(task))
            of.setdefault(id_of(task), []).append(task)
        until = None if timeout is None else time.monotonic() + timeout
        while waiting:
            for task in note_ended(await self._run(lambda exchange: exchange.wait_some(waiting, until)), of):
                yield task

    async def result(self, task, timeout=None):
        """Waits for a task; its value, or TaskFailed, TaskCancelled, TaskGone."""
        ended = seen_end(task)
        if ended is not None:
            return _values([await self._run(lambda exchange: ended.outcome(exchange, task.id))], False)[0]
        return (await self.results([task], timeout))[0]

    async def results(self, tasks, timeout=None, return_exceptions=False):
        """The same of many, in their order, in a few reads."""
        ids = [id_of(task) for task in _listed(tasks)]
        await self._run(lambda exchange: exchange.wait(ids, timeout))
        return _values(await self._run(lambda exchange: exchange.outcomes(ids)), return_exceptions)

    async def state(self, task):
        return (await self.states([task]))[0]

    async def states(self, tasks):
        ids = [id_of(task) for task in _listed(tasks)]
        return await self._run(lambda exchange: exchange.states(ids))

    async def boosts(self, owner, boosts, *, lease=None, pool=None):
        """As of Client."""
        return await self._run(lambda exchange: exchange.boosts(pool or self._pool, owner, boosts, lease))

    async def undo(self, task):
        """Undoes a task that was made with undo=True. One that waits is cancelled, and the tasks are created that its plan left.
        Those of a chain or a group are one task, with what its last plan left first. Their handles are the answer: none
        where no plan was made yet. A repeat creates none, and gives the same. Raises ValueError while it runs, and for a
        task within a composite; TaskGone where it is not kept any longer.
        """
        return [self.handle(id) for id in await self._run(lambda exchange: exchange.undo(id_of(task)))]

    async def cancel(self, task):
        return await self._run(lambda exchange: exchange.cancel(id_of(task)))

    async def _run(self, conversation):
        steps, answer, problem = conversation(self._exchange), None, None
        try:
            while True:
                asked = steps.throw(problem) if problem else steps.send(answer)
                answer, problem = None, None
                if isinstance(asked, Pause):
                    await asyncio.sleep(asked)
                    continue
                try:
                    answer = await self._ask(asked)
                except Lost as lost:
                    problem = lost
        except StopIteration as end:
            return end.value

    async def _ask(self, commands):
        pipeline = self._redis.pipeline(transaction=False)
        for command in commands:
            pipeline.execute_command(*command)
        try:
            return [carriers.read(reply, self._errors) for reply in await pipeline.execute(raise_on_error=False)]
        except (self._errors.RedisError, OSError) as error:
            return [carriers.failure(error, self._errors)] * len(commands)
