"""A program against a real Redis with real workers: worker-image/sdk/client/java starts both (PythonClientIT).

QUIVER_REDIS is the way of the program's user to Redis, QUIVER_NAMESPACE its namespace. Workers of the pools default and
large serve echo, add, list, none and fail.
"""

import asyncio
import os
import socket
import subprocess
import threading
import time
from urllib.parse import urlsplit

import pytest
import redis

import quiver
from quiver.clients import carriers

URL, NAMESPACE = os.environ["QUIVER_REDIS"], os.environ["QUIVER_NAMESPACE"]


@pytest.fixture
def q():
    with quiver.client(URL, NAMESPACE, patience=20) as client:
        yield client


def test_tasks_chains_and_groups_return_what_their_functions_do(q):
    with q.batch() as b:
        a = b.task("echo", ["é", {"b": [1.5]}, None])
        c = b.chain(b.task("add", [1, 2]), b.task("add", [10], pool="large"))
        g = b.group(b.task("add", [1]), b.task("none"), quiver.chain(quiver.call("echo"), quiver.call("echo", 7)))
        named = b.chain(b.task("list", [3], name="numbers"), b.task("none"), b.task("add", ["$(results.numbers)", 1]))
        empty = b.group()
    q.wait([a, c, g, named, empty], timeout=60)
    assert q.result(a) == ["é", {"b": [1.5]}, None]
    assert q.results([c, g, named, empty]) == [13, [1, None, [7, []]], 4, []]
    assert a.state() == "finished" and q.handle(a.id).result() == a.result()


def test_a_client_that_was_closed_reads_what_it_created():
    with quiver.client(URL, namespace=NAMESPACE) as q, q.batch() as b:
        task = b.task("add", [1])
    q.wait([task], timeout=60)
    assert q.result(task) == 1
    q.close()


def test_children_have_handles_of_their_own(q):
    with q.batch() as b:
        first = b.task("add", [1, 2])
        whole = b.chain(first, b.task("none"))
    assert first.id == whole.id + ".1"
    assert whole.result(timeout=60) is None
    assert first.result() == 3


def test_a_failure_brings_its_reason_and_its_node(q):
    with q.batch() as b:
        failed = b.chain(b.task("echo"), b.group(b.task("fail"), b.task("echo")))
        whole = b.group([b.task("fail", max_trials=1), b.task("add", [1])], on_child_error="Continue")
    with pytest.raises(quiver.TaskFailed, match="Exception: fail fails") as raised:
        failed.result(timeout=60)
    assert (raised.value.node, raised.value.reason, raised.value.trial) == (failed.id + ".3", "Exception", 3)
    outcomes = q.results([failed, whole], return_exceptions=True, timeout=60)
    assert isinstance(outcomes[0], quiver.TaskFailed) and outcomes[1] == [None, 1]


def test_creating_waits_for_the_disk_where_redis_tells_of_it_and_is_refused_where_it_does_not(q):
    with redis.Redis.from_url(URL) as store:
        tells = tuple(map(int, store.info()["redis_version"].split(".")[:2])) >= (7, 2)
    if not tells:
        with pytest.raises(quiver.StoreRefused, match="cannot tell when tasks survive the loss of its machine"):
            with q.batch(durable=True) as b:
                b.task("never")
        with quiver.client(URL, NAMESPACE, durable=True) as durable, pytest.raises(quiver.StoreRefused, match="and no replica"):
            durable.task("never")
        return
    with q.batch(durable=True) as b:
        task = b.task("add", [1, 2])
    assert task.result(timeout=60) == 3
    with quiver.client(URL, NAMESPACE, durable=True) as durable:
        assert durable.task("add", [4]).result(timeout=60) == 4

    async def program():
        async with quiver.async_client(URL, NAMESPACE, durable=True) as q:
            return await (await q.task("add", [5])).result(timeout=60)

    assert asyncio.run(program()) == 5


def test_events_tell_what_becomes_of_tasks(q):
    events = q.events()
    with q.batch(keep=0) as b:
        added, failed = b.task("add", [1, 2]), b.task("fail", max_trials=1)
        chain = b.chain(b.task("add", [1]), b.task("none"))
        large = b.task("echo", ["x" * 5000])
    ends, left = {}, {added.id, failed.id, chain.id, large.id}
    while left:
        event = events.next(timeout=60)
        ends[event.id] = event
        left.discard(event.id)
    assert (ends[added.id].kind, ends[added.id].result, ends[added.id].handler) == ("executed", 3, "add")
    assert (ends[failed.id].kind, ends[failed.id].error.reason) == ("failed", "Exception")
    assert (ends[chain.id].handler, ends[chain.id].told, ends[large.id].told) == (None, False, False)
    assert abs(ends[added.id].at - time.time()) < 600
    assert [ends[chain.id + ".1"].result, ends[chain.id + ".2"].result] == [1, None]
    ahead = q.task("add", [5])
    with quiver.client(URL, NAMESPACE) as other:
        assert next(other.events(after=events.position)).id == ahead.id
    assert next(events).id == ahead.id and events.next(timeout=0.1) is None


def test_waiting_by_events_takes_none_away_and_knows_what_ended_before(q):
    events = q.events()
    early = q.task("add", [1])
    early.wait(timeout=60)
    with q.batch() as b:
        late = [b.task("add", [i], delay=0.5) for i in range(3)]
    never = q.task("never")
    events.wait([early, *late], timeout=60)
    assert {task.state() for task in late} == {"finished"}
    with pytest.raises(quiver.WaitTimeout) as raised:
        events.wait([never, early], timeout=0.3)
    assert raised.value.left == [never.id]
    assert never.cancel()
    told = [next(events).id for _ in range(5)]
    assert (told[0], set(told[1:4]), told[4]) == (early.id, {task.id for task in late}, never.id)


def test_waiting_by_events_ends_also_for_what_has_none_and_in_time_while_others_end(q):
    with q.batch() as b:
        never = b.task("never")
        step = b.task("add", [1])
        chain = b.chain(never, step)
    assert chain.cancel()
    q.events().wait([step], timeout=60)  # it went with its chain, and no event tells
    waited = q.task("never")
    ended, stop = [], threading.Event()

    def busy():
        with quiver.client(URL, NAMESPACE) as other:
            while not stop.is_set():
                ended.append(other.task("add", [1]))
            other.wait(ended, timeout=60)  # or the next test is told of their ends

    thread = threading.Thread(target=busy)
    thread.start()
    try:
        with pytest.raises(quiver.WaitTimeout):
            q.events().wait(waited, timeout=1)
    finally:
        stop.set()
        thread.join()
    assert len(ended) > 10 and waited.cancel()


def test_events_that_are_gone_are_lost_with_words(q):
    events = q.events()
    with redis.Redis.from_url(URL) as store:
        store.unlink(q._exchange.keyspace.key("events"))  # as the end of the last lease does
    with pytest.raises(quiver.EventsLost, match="look at the states of tasks"):
        events.next(timeout=1)
    task = q.task("add", [2])
    assert next(events).id == task.id
    with pytest.raises(ValueError, match="lease is a number of seconds above 0, 600 at most, not 601"):
        q.events(lease=601)
    with pytest.raises(quiver.StoreRefused, match="position"):
        q.events(after="nonsense").next(timeout=1)


def test_events_of_an_asyncio_program():
    async def program():
        async with quiver.async_client(URL, NAMESPACE) as q:
            events = await q.events()
            task = await q.task("add", [4])
            await events.wait(task, timeout=60)
            async for event in events:
                return event.id == task.id, event.result

    assert asyncio.run(program()) == (True, 4)


def test_cancel_ends_a_task_once(q):
    task = q.task("never")
    with pytest.raises(quiver.WaitTimeout):
        task.wait(timeout=0.2)
    assert task.state() == "startable"
    assert [task.cancel(), task.cancel()] == [True, False]
    with pytest.raises(quiver.TaskCancelled):
        task.result(timeout=60)


def test_one_task_of_a_name_goes_on_at_a_time(q):
    first, second = (q.task("never", once="nightly é") for _ in range(2))
    assert second.id == first.id
    with q.batch() as b:
        same = [b.task("never", once="nightly é"), b.chain(b.task("never"), once="weekly"), b.task("echo", once="weekly")]
    assert [task.id for task in same] == [first.id, same[1].id, same[1].id]
    assert first.cancel() and same[1].cancel()
    assert q.task("echo", [1], once="nightly é").result(timeout=60) == [1]


def test_a_task_that_has_not_begun_is_undone_by_its_end(q):
    task = q.task("never", plan=True, undo=True)
    assert task.undo() == [] and task.state() == "failed"
    with q.batch() as b:
        first = b.task("never", plan=True)
        chain = b.chain(first, undo=True)
    with pytest.raises(ValueError, match="undone as a whole"):
        q.undo(first)
    assert q.undo(chain) == [] == q.undo(chain) and chain.state() == "failed"
    with pytest.raises(quiver.TaskGone):
        q.undo("never-there")


def test_a_chain_is_undone_by_one_task_and_what_its_last_plan_left_comes_first(q):
    with q.batch() as b:
        chain = b.chain(b.task("step", [1, 2], plan=True), quiver.group(quiver.call("step", 2, 1, plan=True)), undo=True)
    chain.wait(timeout=60)
    undo, = q.undo(chain)
    assert undo.result(timeout=60) == [[[2, "undone", 2]], [[1, "undone", 1], [1, "undone", 1]]]
    assert [task.id for task in q.undo(chain)] == [undo.id]


def test_a_large_undo_comes_in_pieces(q):
    with q.batch() as b:
        chain = b.add(quiver.chain([quiver.call("step", i, 60, plan=True) for i in range(4)], undo=True))
    chain.wait(timeout=60)
    undo, = chain.undo()
    assert undo.result(timeout=60) == [[[i, "undone", i]] * 60 for i in (3, 2, 1, 0)]


def test_a_newer_task_takes_the_place_of_one_that_waits(q):
    newest = quiver.Once("sync:7", until="start", replace=True)
    first = q.task("never", once=quiver.Once("sync:7", until="start"))
    assert q.task("never", once=quiver.Once("sync:7", until="start")).id == first.id
    second = q.task("echo", [2], once=newest)
    assert second.result(timeout=60) == [2]
    with pytest.raises(quiver.TaskFailed, match="Replaced"):
        first.result(timeout=60)
    with q.batch() as b:
        waits = b.add(quiver.call("never", once=newest))
    assert q.task("never", once=newest).state() == "startable" and waits.state() == "failed"


def test_what_is_not_kept_is_gone_and_a_delay_is_kept(q):
    with q.batch(keep=0) as b:
        task = b.task("echo")
        later = b.task("echo", delay=0.3, keep=60)
    assert later.state() == "waiting"
    task.wait(timeout=60)
    end = time.monotonic() + 30
    while task.state() != "gone" and time.monotonic() < end:
        time.sleep(0.02)
    with pytest.raises(quiver.TaskGone):
        task.result()
    assert later.result(timeout=60) == []


def test_a_block_that_raises_creates_nothing(q):
    with pytest.raises(KeyError), q.batch() as b:
        task = b.task("echo")
        raise KeyError
    with pytest.raises(ValueError, match="not flushed"):
        task.state()


def test_a_wide_group_and_ten_thousand_tasks_are_collected(q):
    with q.batch() as b:
        wide = b.group(b.task("add", [i]) for i in range(1000))
    tasks = q.map("add", range(10_000), pool="large")
    assert wide.result(timeout=120) == list(range(1000))
    assert q.results(tasks, timeout=120) == list(range(10_000))
    assert {task.id for task in q.as_completed(tasks[:50], timeout=5)} == {task.id for task in tasks[:50]}


def test_each_result_is_read_as_its_task_ends(q):
    tasks = q.map("add", range(300)) + [q.task("fail", max_trials=1)]
    seen, failures = {}, 0
    for task in q.as_completed(tasks, timeout=60):
        try:
            seen[task.id] = task.result()
        except quiver.TaskFailed:
            failures += 1
    assert [seen[task.id] for task in tasks[:-1]] == list(range(300)) and failures == 1
    assert tasks[7].result() == 7  # once more
    backwards = list(q.as_completed([task.id for task in tasks] + tasks, timeout=5))[::-1]
    assert sum(q.result(task) for task in backwards if task not in (tasks[-1], tasks[-1].id)) == 2 * sum(range(300))


def test_threads_share_a_client(q):
    found = []

    def program(number):
        found.append(sum(q.results(q.map("add", [number] * 300), timeout=60)))

    threads = [threading.Thread(target=program, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [0, 300, 600, 900]


def test_ranked_tasks_run_and_boosts_are_those_of_their_owner(q):
    with q.batch() as b:
        plain = b.task("never")
        tasks = [b.task("echo", [1], rel_priority=-5, tags=["view", "other"], fairness_key="acme"),
                 b.chain(b.task("add", [1]), b.task("add", [2], rel_priority=9), tags=["view"]),
                 b.add(quiver.group(quiver.call("none", tags=["view"]), fairness_key="acme"))]
    tasks.append(q.task("add", [4], tags=["view"], rel_priority=99999, fairness_key="acme"))
    assert q.results(tasks, timeout=60) == [[1], 3, [None], 4] and plain.cancel()
    assert q.boosts("front-end-7", {"view": 1000, "other": -3}) == 2
    assert q.boosts("front-end-7", {"view": 1000, "other": -3}) == 0
    assert q.boosts("front-end-7", {"view": 5}, lease=60) == 2
    assert q.boosts("front-end-8", {"view": 5}, lease=0.01, pool="large") == 1
    end = time.monotonic() + 30
    while q.boosts("front-end-8", {}, pool="large") and time.monotonic() < end:
        assert q.boosts("front-end-8", {"view": 5}, lease=0.01, pool="large") == 1
        time.sleep(0.5)
    assert time.monotonic() < end, "the lease took nothing back"
    assert q.boosts("front-end-7", {}) == 1

    async def program():
        async with quiver.async_client(URL, namespace=NAMESPACE) as q:
            assert await (await q.task("add", [4], tags=["view"], rel_priority=1)).result(60) == 4
            return await q.boosts("front-end-9", {"view": 1}), await q.boosts("front-end-9", {})

    assert asyncio.run(program()) == (1, 1)


def test_tasks_wait_for_resources_which_owners_close_and_open(q):
    task = q.task("echo", [1], resources=["nobody!declares", "other"])
    assert q.close("nobody!declares", seconds=60) and not q.close("nobody!declares")
    assert q.close("nobody!*", owner="billing")
    found = {resource.name: resource for resource in q.resources()}
    one, pattern = found["nobody!declares"], found["nobody!*"]
    assert (one.missing, one.waiting, one.closed_by, one.declared) == (True, 1, "billing", False)
    assert abs(one.since - time.time()) < 60 and (pattern.waiting, pattern.closed_by) == (0, "billing")
    assert not q.open("nobody!*") and q.open("nobody!*", owner="billing") and q.open("nobody!declares", everyone=True)
    assert [r.closed_by for r in q.resources() if r.waiting] == [None]
    assert q.state(task) == "startable" and task.cancel()
    assert not [r for r in q.resources() if r.name.startswith("nobody")]

    async def program():
        async with quiver.async_client(URL, namespace=NAMESPACE) as q:
            return await q.close("later", seconds=60), [r.name for r in await q.resources()], await q.open("later")

    closed, names, opened = asyncio.run(program())
    assert closed and "later" in names and opened


def test_a_complex_task_keeps_what_its_requests_say(q):
    key = f"k{time.time_ns()}"
    tasks = [q.task("tally", [i], complex_key=key, keep=60) for i in range(3)]
    q.wait(tasks, timeout=60)
    assert tasks[2].result() == {"n": 2, "last": 1}
    state = q.complex_state("tally", key)
    assert (state.version, state.fields) == (3, {"n": 3, "last": 2})
    assert state.markers == {"m": {"args": [1], "tags": ["t"], "left": 1}}
    assert q.complex_state("tally", "none") is None
    with pytest.raises(ValueError, match="complex_key is 'a b'"):
        q.complex_state("tally", "a b")

    async def program():
        async with quiver.async_client(URL, namespace=NAMESPACE) as q:
            return await q.complex_state("tally", key)

    assert asyncio.run(program()) == state


@pytest.mark.parametrize("call, words", [
    (lambda q: q.task("echo", rel_priority=100_000), "relPriority is a whole number from -99999 to 99999, not 100000"),
    (lambda q: q.task("echo", rel_priority=True), "relPriority is a whole number"),
    (lambda q: q.task("echo", tags=["in view"]), "tags has 'in view', 1 to 128 printable"),
    (lambda q: q.task("echo", tags="view"), "tags are a list of texts, not 'view'"),
    (lambda q: q.task("echo", tags="abcdefghi".split() + [str(i) for i in range(8)]), "tags has 9 names, at most 8"),
    (lambda q: q.task("echo", fairness_key=""), "fairnessKey has '', 1 to 128 printable"),
    (lambda q: q.boosts("spec", {"view": 1}), "the owner is 'spec', which is the WorkerPool's own"),
    (lambda q: q.boosts("two words", {"view": 1}), "owner has 'two words'"),
    (lambda q: q.boosts("o", {"view": 10**8}), "the boost of tag 'view' is a whole number .* not 100000000"),
    (lambda q: q.boosts("o", {"in view": 1}), "boosts has 'in view'"),
    (lambda q: q.boosts("o", {str(i): 1 for i in range(257)}), "boosts has 257 tags, at most 256"),
    (lambda q: q.boosts("o", {"view": 1}, lease=-1), "lease"),
    (lambda q: q.task("echo", resources="online"), "resources are a list of texts, not 'online'"),
    (lambda q: q.task("echo", resources=["not online"]), "resources has 'not online'"),
    (lambda q: q.task("echo", resources=list("abcdefghi")), "resources has 9 names, at most 8"),
    (lambda q: q.close("not online"), "resource has 'not online'"),
    (lambda q: q.close("online", owner="spec"), "the owner is 'spec', which no program has"),
    (lambda q: q.close("online", seconds=-1), "seconds"),
])
def test_an_order_that_makes_no_sense_is_refused_in_words(q, call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call(q)


def test_boosts_of_an_unknown_pool_are_refused(q):
    with pytest.raises(quiver.UnknownPool, match="called gone"):
        q.boosts("front-end-7", {"view": 1}, pool="gone")


def test_an_unknown_pool_refuses_the_batch(q):
    with pytest.raises(quiver.UnknownPool, match="called gone"), q.batch() as b:
        b.task("echo")
        b.task("echo", pool="gone")


def test_a_foreign_keyspace_and_a_wrong_password_are_refused(q):
    with pytest.raises(quiver.StoreRefused, match="NOPERM"):
        quiver.client(URL, "other")
    with pytest.raises(quiver.StoreRefused, match="the user or the password is wrong"):
        quiver.client(URL.replace(":secret@", ":wrong@"), NAMESPACE)
    with pytest.raises(quiver.StoreUnavailable):
        quiver.client("redis://127.0.0.1:1", NAMESPACE, patience=0.2)


def test_a_lost_connection_counts_nothing_twice(q):
    """The connection is cut after Redis has done the calls, before a reply was read."""
    before, ask = q.task("none"), q._ask
    before.wait(timeout=60)
    cuts = [True, True]

    def cut(commands):
        replies = ask(commands)
        if commands[0][0] == "FCALL" and cuts:
            cuts.pop()
            raise quiver.clients.exchange.Lost("cut")
        return replies

    q._ask = cut
    with q.batch(keep=0) as b:
        tasks = [b.task("echo", [f"counted {i}"]) for i in range(700)]
    assert not cuts
    q.wait(tasks, timeout=60)


def test_a_program_of_asyncio():
    async def program():
        async with quiver.async_client(URL, namespace=NAMESPACE) as q:
            async with q.batch() as b:
                c = b.chain(b.task("add", [1]), b.group(b.task("add", [i]) for i in range(9)))
            await q.wait(c, timeout=60)
            assert await q.result(c) == [1 + i for i in range(9)]
            many = await q.map("add", range(500))
            assert sorted(await asyncio.gather(*(task.result(60) for task in many[:20]))) == list(range(20))
            ended = [task async for task in q.as_completed(many, timeout=60)]
            assert len(ended) == 500 and await many[3].state() == "finished"
            assert sum(await asyncio.gather(*(task.result() for task in ended))) == sum(range(500))
            with pytest.raises(quiver.UnknownPool):
                await q.task("echo", pool="gone")
            never = await q.task("never")
            with pytest.raises(quiver.WaitTimeout):
                await never.wait(0.1)
            assert await never.cancel()

    asyncio.run(program())


@pytest.fixture
def sentinel(tmp_path):
    """The way to the same Redis by way of a Sentinel, which calls it m."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    found = urlsplit(URL)
    config = tmp_path / "sentinel.conf"
    config.write_text(f"port {port}\nbind 127.0.0.1\ndir {tmp_path}\n"
                      f"sentinel monitor m {found.hostname} {found.port} 1\n")
    process = subprocess.Popen(["redis-server", config, "--sentinel"], stdout=subprocess.DEVNULL)
    try:
        yield f"redis-sentinel://{found.username}:{found.password}@127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def test_programs_reach_redis_by_way_of_a_sentinel(sentinel):
    async def program():
        async with quiver.async_client(sentinel + "/?sentinelMasterId=m", namespace=NAMESPACE, patience=20) as q:
            return await (await q.task("add", [1, 2])).result(60)

    with quiver.client(sentinel + "#m", NAMESPACE, patience=20) as q:
        assert q.results(q.map("add", range(300)), timeout=60) == list(range(300))
    assert asyncio.run(program()) == 3
    with pytest.raises(quiver.StoreUnavailable, match="other"):
        quiver.client(sentinel + "#other", NAMESPACE, patience=0.2)


def test_a_client_settles_nothing():
    with redis.Redis.from_url(URL) as plain:
        for command in (
            ("HSET", "quiver:{%s}:pool:default:tasks:held:s" % NAMESPACE, "t", "1@s0"),
            ("ZADD", "quiver:{%s}:sessions" % NAMESPACE, 1, "s"),
            ("HGETALL", "quiver:{%s}:sets" % NAMESPACE),
            ("EVAL", "return 1", 0),
            ("KEYS", "*"),
            ("FUNCTION", "LIST"),
        ):
            with pytest.raises(redis.exceptions.NoPermissionError):
                plain.execute_command(*command)


def test_a_redis_cluster_is_refused_in_words():
    moved = carriers.read(redis.exceptions.MovedError("12182 127.0.0.1:7001"), redis.exceptions)
    assert "Redis Cluster" in str(moved.text) and "7001" not in moved.text
    refused = carriers.read(redis.exceptions.ResponseError("ERR no such thing"), redis.exceptions)
    assert "no such thing" in refused.text
