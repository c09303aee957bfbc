"""What a client says to Redis and how it reads the answers, whoever carries them.

Each conversation is a generator. It yields Commands, and is sent their replies, or yields a Pause. A carrier runs it: it
sends bytes, numbers, lists, None and Refusals, or throws Lost into it.
"""

import json
import re
import time
from collections import deque
from typing import NamedTuple, Optional

from quiver import nodes
from quiver.clients import ranks, undoing
from quiver.clients.description import CALLS, CODES, LAYOUT, LIMITS, STATES, Keyspace, Library, Reply, fields
from quiver.clients.errors import (
    StoreRefused,
    StoreUnavailable,
    TaskCancelled,
    TaskFailed,
    TaskGone,
    UnknownPool,
    WaitTimeout,
)
from quiver.clients.states import ComplexState
from quiver.clients.submissions import Producer
from quiver.clients.trees import millis

PROGRAM = "program"  # the owner of closings that name none
AT_ONCE = 8  # calls on their way
PAGE = 1000  # entries of one read
PAGES = 4  # reads on their way
DEPTH = 64  # more than a tree has levels
POOL_SECONDS = 5  # for which a pool that was seen is believed in
SHORTEST, LONGEST = 0.02, 1.0  # seconds between two tries, or two looks
COMMAND_ROUNDS = 100  # of commands that calls leave; workers run the rest
_PASSING = ("LOADING", "CLUSTERDOWN", "MASTERDOWN", "NOREPLICAS", "BUSY", "MISCONF", "READONLY", "TRYAGAIN", "UNBLOCKED")
_NO_FUNCTIONS = re.compile(r"unknown command,? ['`]fcall['`]", re.IGNORECASE)
# The right to a function comes with the function: a user that has none waits for it, too.
_MISSING = re.compile(r"Function not found|permissions to run the ['`]fcall['`]", re.IGNORECASE)


class Commands(list):
    """Commands of which none waits for another's reply."""


class Resource(NamedTuple):
    """A resource of a pool. since is when it is missing, in seconds since 1970, None where it is there or never was;
    waiting how many tasks wait for it, and for none that they name before it; closed_by an owner that
    closed it; permits how many tasks may run with it at a time, None for any number, and used how many do."""

    name: str
    missing: bool
    since: Optional[float]
    waiting: int
    closed_by: Optional[str]
    declared: bool
    permits: Optional[int]
    used: int

    @classmethod
    def of(cls, row):
        since = int(row["since"])
        return cls(row["name"].decode(), row["state"] == b"Missing", since / 1000 if since else None, int(row["waiting"]),
                   row["by"].decode() or None, bool(row["declared"]), int(row["permits"]) if row["permits"] else None,
                   int(row["used"]))


class Pause(float):
    """Seconds."""


class Refusal:
    """An error that Redis replied with."""

    def __init__(self, text):
        self.text = text

    @property
    def passing(self):
        return self.text.startswith(_PASSING) or self.missing

    @property
    def missing(self):
        return _MISSING.search(self.text) is not None


class Lost(Exception):
    """The connection broke: what was sent may have been done."""


class Exchange:
    """The conversations of one client with one keyspace. Not for two threads at a time."""

    def __init__(self, keyspace: Keyspace, patience, clock=time.monotonic):
        self.keyspace = keyspace
        self.patience = patience
        self._clock = clock
        self._library = Library("")
        self._idle = None  # the producer of the last submission that was confirmed as a whole
        self._pools = {}

    def _until(self):
        return self._clock() + self.patience

    # How a call is repeated.

    def open(self, until=None):
        """Reads the names of the functions."""
        until = until or self._until()
        meta = self.keyspace.key("meta")
        layout, calls, library, oldest = (
            yield from self._read([("HMGET", meta, "schema", "calls", "library", "oldest_calls")], until))[0]
        if layout is None:
            raise StoreRefused(f"there is no keyspace {self.keyspace.prefix}: no WorkerPool has it")
        calls = int(calls or 0)
        served = calls if oldest is None else min(calls, int(oldest))  # programs of this version and of later ones
        for what, found, known, needed in (("layout", int(layout), LAYOUT, int(layout)), ("calls", calls, CALLS, served)):
            if needed > known:
                raise StoreRefused(
                    f"keyspace {self.keyspace.prefix} has version {found} of its {what}, written by a newer operator; "
                    f"this client knows {known}: update it")
        if not library:
            raise StoreRefused(
                f"the operator of keyspace {self.keyspace.prefix} names no functions: it is older than this client, or "
                "its Redis has none")
        self._library = Library(library.decode(), calls)

    LOOKED_AT = PAGE * PAGES  # nodes of one look()

    @property
    def clock(self):
        """Seconds from any beginning."""
        return self._clock

    def call(self, script, arguments):
        """The reply of a function that may be called again, tried for as long as this exchange has patience."""
        return (yield from self._call(script, arguments, self._until()))

    def await_event(self, position, seconds):
        """Until there is an event behind this position, or so long; at once where the connection is patient for less."""
        block = ("BLOCK", max(1, millis("seconds", seconds)), "COUNT", 1)
        command = ("XREAD", *block, "STREAMS", self.keyspace.key("events"), position[:position.index("/")])
        try:
            yield Commands([command])
        except Lost:
            yield Pause(SHORTEST)

    def _read(self, commands, until):
        """The replies to commands that may be repeated."""
        pause = SHORTEST
        while True:
            try:
                replies = yield Commands(commands)
                problem = next((reply for reply in replies if isinstance(reply, Refusal)), None)
                if problem is None:
                    return replies
                _check(problem)
            except Lost as lost:
                problem = lost
            yield from self._again(problem, pause, until)
            pause = min(pause * 2, LONGEST)

    def _again(self, problem, pause, until):
        """Pauses before a repetition, or raises the problem when there is no time for it."""
        if self._clock() + pause > until:
            if isinstance(problem, Lost):
                raise StoreUnavailable(str(problem)) from problem
            if problem.missing:
                raise StoreRefused(f"{problem.text}: the operator of this Redis has not loaded it, or gave no right to it")
            raise StoreUnavailable(problem.text)
        yield Pause(pause)
        if isinstance(problem, Refusal) and problem.missing:
            yield from self.open(until)

    def _call(self, script, arguments, until, pools=()):
        """The reply of a function that may be called again."""
        pause = SHORTEST
        while True:
            command = self.keyspace.call(self._library, script, arguments, pools)
            try:
                reply, = yield Commands([command])
                if not isinstance(reply, Refusal):
                    return reply
                _check(reply)
            except Lost as lost:
                reply = lost
            yield from self._again(reply, pause, until)
            pause = min(pause * 2, LONGEST)

    # Creating.

    def submit(self, submission):
        """Creates trees: each call counts once, in order, whatever happened to the replies. A call leaves the submission
        when Redis has confirmed it, and for no other reason: submitting it again goes on where this stopped."""
        until = self._until()
        yield from self._check_pools(submission.unchecked, until)
        submission.unchecked.clear()
        pause = SHORTEST
        while submission.calls:
            self._choose_producer(submission)
            problem, counted = yield from self._send_some(submission)
            if counted:
                pause = SHORTEST
            if problem is None:
                continue
            if isinstance(problem, Refusal) and not problem.passing:
                _check(problem)
            yield from self._again(problem, pause, until)
            pause = min(pause * 2, LONGEST)
        if submission.producer is not None:
            self._idle, submission.producer = submission.producer, None

    def create(self, batch):
        """Creates the trees of a batch. What is not known to be created stays in it."""
        if batch._durable and batch._lasts is None:
            batch._lasts = yield from self._way_to_last()
        submission = batch._stage()
        yield from self.submit(submission)
        if batch._durable:
            yield from self._make_last(*batch._lasts)
            batch._lasts = None
        if batch._named:
            yield from batch._resolve(self)
        batch._confirmed()

    def _way_to_last(self):
        """How this Redis tells that what was written survives the loss of its machine: the commands that wait for it, and the
        process that it is."""
        info, = yield from self._read([("INFO",)], self._until())
        ways, replicas = [], info.get("connected_slaves", 0) > 0
        if info.get("aof_enabled") == 1 and (yield from self._may("WAITAOF", 0, 0, 1)):
            ways.append(("WAITAOF", 1, 0, 1000))
        if replicas and (yield from self._may("WAIT", 0, 1)):  # one may take its place
            ways.append(("WAIT", 1, 1000))
        if info.get("redis_mode") == "cluster" or not ways:
            raise StoreRefused(
                "this Redis cannot tell when tasks survive the loss of its machine: that takes appendonly with Redis 7.2 or"
                f" Valkey, or a replica, and no cluster; it has version {info.get('redis_version')}, aof_enabled"
                f" {info.get('aof_enabled')} and {'a' if replicas else 'no'} replica")
        return ways, info.get("run_id")

    def _may(self, *command):
        """Whether this Redis has a command, and its user the right to it."""
        try:
            reply, = yield Commands([command])
        except Lost as lost:
            raise StoreUnavailable(str(lost)) from lost
        return not isinstance(reply, Refusal)

    def _make_last(self, ways, process):
        """Until Redis tells so. It waits for what the same connection wrote, so a write goes in front of the commands: what was
        written before it, on whatever connection, is as durable then. The process has to be the one that got the tasks."""
        until = self._until()
        while True:
            try:
                _, *confirmed, info = yield from self._read(
                    [("HSET", self.keyspace.key("meta"), "durable", 1), *ways, ("INFO", "server")], until)
            except (StoreRefused, StoreUnavailable) as problem:
                raise StoreUnavailable(f"the tasks are created, and nobody tells whether they last: {problem}") from problem
            if info.get("run_id") != process:
                raise StoreUnavailable("the tasks were created, and then another Redis answered: whether it has them is not known."
                                       " Look at their states, and make those anew that are gone")
            if all((each[0] if isinstance(each, list) else each) > 0 for each in confirmed):
                return
            if self._clock() > until:
                whose = "a replica" if ways[0][0] == "WAIT" else "the disk of Redis" + (" and a replica" if ways[1:] else "")
                raise StoreUnavailable(f"the tasks are created, and {whose} did not confirm them in {self.patience:.0f} s")

    def holders(self, named):
        """Of trees and their names the ids of those that have the names: themselves, or others that go on."""
        roots, names, until = self.keyspace.key("roots"), self.keyspace.key("names"), self._until()
        made = yield from self._many(roots, [id for id, _ in named], until)
        found = yield from self._many(names, [f"n:{name}" for _, name in named], until)
        return [id if facts or holder is None else holder.decode()  # empty facts: pieces that wait for their last one
                for (id, _), facts, holder in zip(named, made, found)]

    def _check_pools(self, pools, until):
        now = self._clock()
        asked = [pool for pool in pools if self._pools.get(pool, -1) < now]
        for begin in range(0, len(asked), PAGE):
            page = asked[begin:begin + PAGE]
            found = yield from self._read([("HEXISTS", self.keyspace.key("pool", pool), "uid") for pool in page], until)
            for pool, there in zip(page, found):
                if not there:
                    raise UnknownPool(pool, self.keyspace.prefix)
                self._pools[pool] = now + POOL_SECONDS

    def _choose_producer(self, submission):
        fresh, now = LIMITS["remembered"] / 2000, self._clock()
        if submission.unknown_since is not None and now - submission.unknown_since > fresh:
            raise StoreUnavailable(
                f"Redis gave no answer for {fresh:.0f} s: whether these tasks were created is unknown, and stays so")
        if submission.open_since is not None and now - submission.open_since > fresh:
            raise StoreUnavailable(
                f"Redis forgets a tree of which it has had only a part for {fresh:.0f} s: make this batch anew")
        if submission.producer is None:
            submission.producer, self._idle = self._idle or Producer(now), None
        elif submission.unknown_since is not None:
            return  # a call that may have been done is repeated under the name that it had
        if now - submission.producer.counted_at > fresh:
            submission.producer = Producer(now)

    def _send_some(self, submission):
        """Sends the first calls; answers the problem of the first one that was not done, and how many were."""
        producer, waiting = submission.producer, submission.calls
        sent = [waiting[i] for i in range(min(AT_ONCE, len(waiting)))]
        commands = Commands(
            self.keyspace.call(
                self._library, "submit", (producer.next + i, LIMITS["remembered"], *call.arguments), call.pools, producer.name)
            for i, call in enumerate(sent))
        unknown_since = submission.unknown_since
        if unknown_since is None:
            submission.unknown_since = self._clock()  # before they leave: whoever interrupts this knows no outcome
        try:
            replies = yield commands
        except Lost as lost:
            return lost, 0
        counted, problem, soon = 0, None, []
        for reply in replies:
            if isinstance(reply, Refusal):
                problem = reply
                break
            if Reply("submit", reply).code == CODES["GAP"]:
                if not counted:
                    submission.producer = Producer(self._clock())  # Redis has forgotten this one, and has done nothing
                break
            submission.count(self._clock())
            counted += 1
            soon += Reply("submit", reply)["commands"]
        submission.unknown_since = unknown_since if problem else None
        yield from self._run(soon)
        return problem, counted

    def _run(self, commands):
        """Runs what calls left to be run. Without it workers and the operator do so, within a second."""
        left = deque(dict.fromkeys(commands))
        for _ in range(COMMAND_ROUNDS):
            if not left:
                return
            now, pools, later = [], {}, []
            while left and len(now) < LIMITS["commands"]:
                command = left.popleft()
                pool = (command.split(b"\t") + [b""] * 4)[3].decode()
                if not pool or pool in pools or len(pools) < LIMITS["pools"]:
                    now.append(command)
                    if pool:
                        pools[pool] = True
                else:
                    later.append(command)
            left.extend(later)
            try:
                reply, = yield Commands([self.keyspace.call(self._library, "run_commands", now, pools)])
            except Lost:
                return
            if isinstance(reply, Refusal):
                return
            left.extend(Reply("run_commands", reply)["commands"])

    def undo(self, id):
        """The ids of the tasks that were made to undo it; of a composite that of their tree."""
        return (yield from undoing.undo(self, id, self._until()))

    def call_undo(self, arguments, until):
        """The reply to one call, whose commands have run."""
        reply = Reply("undo", (yield from self._call("undo", arguments, until)))
        if reply.ok:
            yield from self._run(reply["commands"])
        return reply

    def cancel(self, id):
        """Whether this call ended the node."""
        reply = Reply("control", (yield from self._call("control", ("", "cancel", id, ""), self._until())))
        if not reply.ok:
            return False
        yield from self._run(reply["commands"])
        return reply["changed"] == 1

    def boosts(self, pool, owner, boosts, lease=None):
        """What an owner adds to the priority of tags in a pool, in place of what it added before."""
        if ranks.check_name("owner", owner) == "spec":
            raise ValueError("the owner is 'spec', which is the WorkerPool's own: take another name")
        arguments, most = ["", owner, "" if lease is None else max(1, millis("lease", lease))], LIMITS["boost"]
        if len(boosts) > LIMITS["boosts"]:
            raise ValueError(f"boosts has {len(boosts)} tags, at most {LIMITS['boosts']} of an owner are allowed")
        for tag, boost in boosts.items():
            if isinstance(boost, bool) or not isinstance(boost, int) or not -most <= boost <= most:
                raise ValueError(f"the boost of tag {tag!r} is a whole number from -{most} to {most}, not {boost!r}")
            arguments += (ranks.check_name("boosts", tag), boost)
        until = self._until()
        yield from self._check_pools([pool], until)
        reply = Reply("boost", (yield from self._call("boost", arguments, until, [pool])))
        if not reply.ok:
            raise StoreRefused(reply.words)
        yield from self._run(reply["commands"])
        return reply["changed"]

    def gate(self, pool, owner, resource, what, seconds=None):
        """Closes or opens a resource of a pool for an owner; answers whether that changed anything."""
        if ranks.check_name("owner", owner) in ("spec", "tasks", "probe"):
            raise ValueError(f"the owner is {owner!r}, which no program has: take another name")
        ms = "" if seconds is None else max(1, millis("seconds", seconds))
        until = self._until()
        yield from self._check_pools([pool], until)
        arguments = [owner, ranks.check_name("resource", resource), what, ms]
        reply = Reply("gate", (yield from self._call("gate", arguments, until, [pool])))
        if not reply.ok:
            raise StoreRefused(reply.words)
        yield from self._run(reply["commands"])
        return bool(reply["changed"])

    def resources(self, pool):
        """What is known of a pool's resources."""
        until = self._until()
        yield from self._check_pools([pool], until)
        reply = Reply("resources", (yield from self._call("resources", [LIMITS["resourcesRead"]], until, [pool])))
        return [Resource.of(row) for row in reply["resources"]]

    def complex_state(self, pool, handler, key):
        """What a complex task of a pool keeps for a key; None for nothing."""
        nodes.check_complex_key(handler, key, None, None, None)
        until = self._until()
        most = LIMITS["stateBytes"]
        reply = Reply("state", (yield from self._call("state", [f"{pool}/{handler}\0{key}", 1, most], until)))
        if reply["bytes"] > most:
            raise ValueError(f"the state of {handler}, key {key} has {reply['bytes']} bytes, at most {most} are read")
        return ComplexState.of(reply["version"], [(row["name"], row["value"]) for row in reply["entries"]])

    # Reading.

    def _many(self, key, ids, until):
        """Values of many fields of a hash, in their order."""
        values = []
        pages = [ids[begin:begin + PAGE] for begin in range(0, len(ids), PAGE)]
        for begin in range(0, len(pages), PAGES):
            for page in (yield from self._read([("HMGET", key, *page) for page in pages[begin:begin + PAGES]], until)):
                values += page
        return values

    def _texts(self, ids, until):
        """Results as they are stored, by their nodes. Redis measures them first: a reply has LIMITS["page"] bytes of them."""
        texts, sizes, left, most = {}, {}, deque(ids), LIMITS["page"]
        while left:
            page, expected = [], 0
            while left and len(page) < PAGE and (not page or expected + sizes.get(left[0], 0) <= most):
                expected += sizes.get(left[0], 0)
                page.append(left.popleft())
            reply = Reply("results", (yield from self._call("results", (most, *page), until)))
            again = []
            for id, row in zip(page, reply["results"]):
                sizes[id], text = row["bytes"], row["text"]
                if text or not sizes[id]:
                    texts[id] = text or None
                else:
                    again.append(id)
            if len(again) == len(page):
                raise StoreRefused(f"the result of {page[0]} has {sizes[page[0]]} bytes, at most {most} are read")
            left.extendleft(reversed(again))
        return texts

    def records(self, ids):
        """The records of nodes as dicts; None for one that is not there."""
        texts = yield from self._many(self.keyspace.key("nodes"), list(ids), self._until())
        return [None if text is None else fields("composite", text.decode()) for text in texts]

    def states(self, ids):
        return [STATES[record["state"]] if record else "gone" for record in (yield from self.records(ids))]

    def look(self, waiting):
        """Asks which of the first nodes in a deque have ended. Those that have not go to its end."""
        asked = [waiting.popleft() for _ in range(min(len(waiting), self.LOOKED_AT))]
        try:
            texts = yield from self._many(self.keyspace.key("nodes"), asked, self._until())
        except BaseException:
            waiting.extend(asked)
            raise
        ended = []
        for id, text in zip(asked, texts):
            (ended if text is None or text[2:3] in b"fx" else waiting).append(id)
        return ended

    def wait(self, ids, timeout=None):
        """Until all have ended."""
        until = None if timeout is None else self._clock() + timeout
        waiting = deque(dict.fromkeys(ids))
        while True:
            yield from self.wait_some(waiting, until)
            if not waiting:
                return

    def wait_some(self, waiting, until):
        """Until some of the deque have ended, which are answered and no longer in it."""
        pause, unseen = SHORTEST, len(waiting)
        while waiting:
            asked = min(len(waiting), self.LOOKED_AT)
            ended = yield from self.look(waiting)
            if ended:
                return ended
            unseen -= asked
            if unseen > 0:
                continue  # the first look at all of them
            left = LONGEST if until is None else until - self._clock()
            if left <= 0:
                raise WaitTimeout(list(waiting))
            yield Pause(min(pause, left))
            pause = min(pause * 1.5, LONGEST)
        return []

    def outcomes(self, ids):
        """The results of nodes that have ended: values, or exceptions."""
        until, ids = self._until(), list(ids)
        nodes = self.keyspace.key("nodes")
        distinct = list(dict.fromkeys(ids))
        records = dict(zip(distinct, (yield from self._many(nodes, distinct, until))))
        texts = {}
        wanted = distinct
        for _ in range(DEPTH):
            texts.update((yield from self._texts(wanted, until)))
            composites = [id for id in wanted if texts[id] == b"*" and records.get(id) is None]
            records.update(zip(composites, (yield from self._many(nodes, composites, until))))
            wanted = [of for id in wanted for of in _refers(id, texts[id], records.get(id)) if of not in texts]
            wanted = list(dict.fromkeys(wanted))
            if not wanted:
                break
        return [_outcome(id, records[id], texts, records) for id in ids]


def _check(refusal):
    """Raises a refusal that does not pass."""
    if _NO_FUNCTIONS.search(refusal.text):
        raise StoreRefused(f"this Redis has no functions, which a client needs: {refusal.text}")
    if not refusal.passing:
        raise StoreRefused(refusal.text)


def _at(id, ordinal):
    tree = id.split(".", 1)[0]
    return f"{tree}.{ordinal}" if ordinal else tree


def _children(id, record):
    record = fields("composite", record.decode())
    first, count, stride = (int(record[name]) for name in ("first", "count", "stride"))
    return [_at(id, first + i * stride) for i in range(count)]


def _refers(id, text, record):
    """The nodes whose results this one is made of."""
    if not text:
        return ()
    if text[:1] in (b"@", b"!"):
        return (_at(id, int(text[1:])),)
    return _children(id, record) if text == b"*" and record else ()


def _outcome(id, record, texts, records):
    state = record[2:3] if record else b""
    if not state:
        return TaskGone(f"task {id} is gone: it was kept no longer, or a crash of Redis lost it")
    if state == b"x":
        return _error(id, texts)
    if state != b"f":
        return TaskGone(f"task {id} has not ended")
    return _value(id, texts, records, DEPTH)


def _error(id, texts):
    for _ in range(DEPTH):
        text = texts.get(id) or b""
        if text[:1] != b"!":
            break
        id = _at(id, int(text[1:]))
    return error_of(id, text)


def error_of(id, text):
    """The exception for an error as it is stored."""
    try:
        error = json.loads(text[1:]) if text[:1] == b"E" else {}
    except (ValueError, RecursionError):
        error = {}
    error = error if isinstance(error, dict) else {}
    reason = error.get("reason") or "Cancelled"
    kind = TaskCancelled if reason == "Cancelled" else TaskFailed
    return kind(id, reason, error.get("message") or "", error.get("trial") or 0)


def _value(id, texts, records, depth):
    text = texts.get(id)
    first = text[:1] if text and depth else b""
    if first == b"J":
        return json.loads(text[text.index(b"\n") + 1:])
    if first == b"@":
        return _value(_at(id, int(text[1:])), texts, records, depth - 1)
    if first == b"*" and records.get(id):
        return [_value(child, texts, records, depth - 1) for child in _children(id, records[id])]
    return None  # it returned nothing, or failed in a composite that goes on
