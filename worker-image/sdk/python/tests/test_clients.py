"""Programs that create tasks, without a Redis; worker-image/sdk/client/java runs them against one."""

import itertools
import json
from pathlib import Path
from unittest.mock import Mock

import pytest

import quiver
from quiver import effects, nodes
from quiver.clients import carriers, undoing
from quiver.clients.blocking import Batch
from quiver.clients.description import CALLS, CODES, LIMITS, Keyspace, Reply, new_id
from quiver.clients.events import Event
from quiver.clients.exchange import Commands, Exchange, Lost, Pause, Refusal
from quiver.clients.submissions import Submission
from quiver.clients.trees import Node, Tree, calls

SAMPLES = json.loads(Path(__file__).with_name("trees.json").read_text("utf-8"))
UNDOS = json.loads(Path(__file__).with_name("undos.json").read_text("utf-8"))


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: next(iter(sample["node"])))
def test_records_are_those_of_java(sample):
    call, = calls([Tree("T", Node(sample["node"], "shared"), keep=3600)])
    written = [value.decode() if isinstance(value, bytes) else str(value) for value in call.arguments]
    assert [_read(text) for text in written] == [_read(text) for text in sample["trees"]]
    assert list(call.pools) == sample["pools"]


@pytest.mark.parametrize("sample", UNDOS, ids=lambda sample: str(len(sample["trees"])))
def test_trees_that_undo_are_those_of_java(sample):
    made = undoing.tree(sample["left"])
    made.id = "T"
    call, = calls([made])
    written = [value.decode() if isinstance(value, bytes) else str(value) for value in call.arguments]
    assert [_read(text) for text in written] == [_read(text) for text in sample["trees"]]
    assert list(call.pools) == sample["pools"]


def _read(text):
    return json.loads(text) if text.startswith("{") else text


def test_calls_have_200_nodes_and_64_kib_at_most_and_divide_large_trees_alone():
    small = [Tree(f"t{i}", Node(quiver.call("f"), "p")) for i in range(450)]
    assert [call.nodes for call in calls(small)] == [200, 200, 50]
    wide = Tree("w", Node(quiver.group(quiver.call("f", i) for i in range(500)), "p"))
    made = list(calls([small[0], wide, small[1]]))
    assert [call.nodes for call in made] == [1, 200, 200, 102]
    facts = made[3].arguments[1]
    assert [call.arguments[1] for call in made[1:3]] == ["", ""] and facts.startswith("3600000\t0\t501\t")
    large = [Tree(f"l{i}", Node(quiver.call("f", "x" * 40_000), "p")) for i in range(3)]
    assert [call.nodes for call in calls(large)] == [1, 1, 1]


def test_replies_are_read_by_the_names_of_the_script():
    reply = Reply("control", [CODES["OK"], 1, b"a", b"b"])
    assert reply.ok and reply["changed"] == 1 and reply["commands"] == [b"a", b"b"]
    results = Reply("results", [CODES["OK"], 3, b"J\n1", b"", 0, b"", b""])["results"]
    assert results == [{"bytes": 3, "text": b"J\n1", "record": b""}, {"bytes": 0, "text": b"", "record": b""}]
    assert not Reply("control", [CODES["GONE"]]).ok
    with pytest.raises(KeyError):
        reply["counted"]


def test_the_bounds_of_what_a_function_brings_are_those_of_the_worker():
    assert (effects.MOST_TASKS, effects.MOST_NODES, effects.MOST_BYTES, effects.MOST_UNDO_BYTES) == tuple(
        LIMITS[name] for name in ("brought", "nodes", "broughtBytes", "undoBytes"))
    assert (effects.MOST_NAMES, effects.MOST_PRIORITY, nodes.MOST_PLAN_SECONDS) == tuple(
        LIMITS[name] for name in ("tags", "relPriority", "planSeconds"))


def test_ids_are_never_those_of_resources():
    ids = {new_id() for _ in range(1000)}
    assert len(ids) == 1000 and all(len(id) == 14 and id.isalnum() and id.isascii() for id in ids)


@pytest.mark.parametrize("node, words", [
    (quiver.call("f", pool="No"), "no name of a WorkerPool"),
    (quiver.call("f", max_trials=0), "maxTrials is a whole number from 1 to 100, not 0"),
    (quiver.call("x" * 129), "has 129 bytes"),
    (quiver.call("a\n"), "control character"),
    (quiver.command([]), "at least one word"),
    (quiver.group(window=-1), "window"),
    (quiver.chain(on_child_error="Stop"), "Fail or Continue"),
])
def test_bounds_are_checked_where_a_task_is_made(node, words):
    with pytest.raises(ValueError, match=words):
        Node(node, "p")


def test_arguments_that_are_no_json_and_unknown_names_are_refused():
    with pytest.raises(TypeError):
        Node(quiver.call("f", object()), "p")
    with pytest.raises(ValueError):
        Node(quiver.call("f", float("nan")), "p")
    with pytest.raises(ValueError, match="no node is called so"):
        Tree("t", Node(quiver.call("f", "$(results.gone)"), "p"))
    with pytest.raises(ValueError, match="has 1001 nodes, at most 1000 are allowed"):
        Tree("t", Node(quiver.for_each(quiver.group(quiver.call("f") for _ in range(1000))), "p"))
    deep = quiver.call("f")
    for _ in range(16):
        deep = quiver.chain(deep)
    with pytest.raises(ValueError, match="deeper than 16"):
        Node(deep, "p")


class Server:
    """Replies as Redis would; `say` are the replies to submissions, in order."""

    def __init__(self, *say, meta=(b"1", b"1", b"quiver_x", None)):
        self.say = list(say)
        self.meta = list(meta)
        self.sent, self.functions = [], []
        self.now = 0.0

    def run(self, conversation):
        answer, problem = None, None
        try:
            while True:
                asked = conversation.throw(problem) if problem else conversation.send(answer)
                answer = problem = None
                if isinstance(asked, Pause):
                    self.now += asked
                    continue
                assert isinstance(asked, Commands)
                replies = [self.reply(command) for command in asked]
                problem = next((reply for reply in replies if isinstance(reply, Lost)), None)
                answer = None if problem else replies
        except StopIteration as end:
            return end.value

    def reply(self, command):
        if command[0] == "HMGET":
            return self.meta
        if command[0] == "HEXISTS":
            return int(command[1].endswith(":p"))
        self.functions.append(command[1])
        self.sent.append((command[3], command[3 + command[2]]))
        return self.say.pop(0) if self.say else [CODES["OK"], 1]


def exchange(server):
    made = Exchange(Keyspace("team"), 5, lambda: server.now)
    server.run(made.open())
    return made


def trees(count, pool="p"):
    return [Tree(f"t{i}", Node(quiver.call("f"), pool)) for i in range(count)]


def test_a_lost_reply_is_asked_for_under_the_same_number():
    server = Server([CODES["OK"], 1], Lost("gone"), [CODES["OK"], 1], [CODES["OK"], 0])
    made = exchange(server)
    server.run(made.submit(Submission(trees(1))))
    server.run(made.submit(Submission(trees(300))))
    assert [number for _, number in server.sent] == [1, 2, 3, 2, 3]
    assert len({producer for producer, _ in server.sent}) == 1


def test_without_an_answer_it_gives_up_and_goes_on_when_flushed_again():
    server = Server(*[Lost("gone")] * 100)
    made, submission = exchange(server), Submission(trees(1))
    with pytest.raises(quiver.StoreUnavailable):
        server.run(made.submit(submission))
    server.say, sent = [], server.sent[0]
    server.run(made.submit(submission))
    assert server.sent[-1] == sent
    count = len(server.sent)
    server.run(made.submit(submission))
    assert len(server.sent) == count


def test_a_producer_that_redis_has_forgotten_takes_another_name():
    server = Server([CODES["OK"], 1], [CODES["GAP"], 0])
    made = exchange(server)
    server.run(made.submit(Submission(trees(1))))
    server.run(made.submit(Submission(trees(1))))
    names = [producer for producer, _ in server.sent]
    assert [number for _, number in server.sent] == [1, 2, 1] and names[0] == names[1] != names[2]
    server.now += 3000
    server.run(made.submit(Submission(trees(1))))
    assert server.sent[-1][1] == 1 and server.sent[-1][0] not in names


def test_a_refused_batch_is_kept_and_no_other_one_follows_under_its_name():
    server = Server([CODES["OK"], 1], Refusal("OOM command not allowed"))
    made, refused = exchange(server), Submission(trees(300))
    with pytest.raises(quiver.StoreRefused, match="OOM"):
        server.run(made.submit(refused))
    server.run(made.submit(Submission(trees(1))))
    assert server.sent[-1][1] == 1 and server.sent[-1][0] != server.sent[0][0]
    server.run(made.submit(refused))
    assert server.sent[-1] == (server.sent[0][0], 2) and not refused.calls


def test_an_unknown_pool_refuses_all_of_a_batch():
    server = Server()
    made, submission = exchange(server), Submission(trees(1) + trees(1, "q"))
    for _ in range(2):
        with pytest.raises(quiver.UnknownPool, match="called q") as raised:
            server.run(made.submit(submission))
        assert raised.value.pool == "q" and not server.sent


def test_a_batch_stays_pending_where_its_pools_could_not_be_looked_up():
    server = Server()
    made, batch = exchange(server), Batch(Nobody(), "p", 3600)
    task, answer = batch.task("f"), server.reply
    server.reply = lambda command: Lost("gone")
    with pytest.raises(quiver.StoreUnavailable):
        server.run(made.create(batch))
    assert batch.pending == [task] and not server.sent
    server.reply = answer
    server.run(made.create(batch))
    assert len(server.sent) == 1 and batch.pending == []
    server.run(made.create(batch))
    assert len(server.sent) == 1


def test_a_refused_batch_leaves_another_one_pending():
    server = Server(*[Lost("gone")] * 100)
    made, first = exchange(server), Submission(trees(1))
    with pytest.raises(quiver.StoreUnavailable):
        server.run(made.submit(first))
    sent = server.sent[-1]
    server.say = [Refusal("OOM command not allowed")]
    with pytest.raises(quiver.StoreRefused, match="OOM"):
        server.run(made.submit(Submission(trees(1))))
    assert server.sent[-1][0] != sent[0]
    server.run(made.submit(first))
    assert server.sent[-1] == sent and not first.calls


def test_what_follows_in_a_batch_waits_behind_what_is_pending():
    server = Server(*[Lost("gone")] * 100)
    made, batch = exchange(server), Batch(Nobody(), "p", 3600)
    handles = [batch.task("f")]
    with pytest.raises(quiver.StoreUnavailable):
        server.run(made.create(batch))
    handles.append(batch.task("g"))
    assert batch.pending == handles[:1]
    server.say, name = [], server.sent[-1][0]
    server.run(made.create(batch))
    assert server.sent[-2:] == [(name, 1), (name, 2)] and batch.pending == []


def test_an_outcome_that_stays_unknown_is_said_at_each_flush():
    server = Server(*[Lost("gone")] * 100)
    made, submission = exchange(server), Submission(trees(1))
    with pytest.raises(quiver.StoreUnavailable):
        server.run(made.submit(submission))
    server.say, count = [], len(server.sent)
    server.now += 1801
    for _ in range(2):
        with pytest.raises(quiver.StoreUnavailable, match="unknown"):
            server.run(made.submit(submission))
    server.run(made.submit(Submission(trees(1))))
    assert len(server.sent) == count + 1 and len(submission.calls) == 1


def test_a_refused_batch_has_no_time_limit_but_a_tree_in_pieces_has():
    wide = [Tree("w", Node(quiver.group(quiver.call("f", i) for i in range(300)), "p"))]
    for made, pieces in ((trees(1), 0), (wide, 1)):
        server = Server(*[[CODES["OK"], 1]] * pieces, Refusal("OOM command not allowed"))
        talk, submission = exchange(server), Submission(made)
        with pytest.raises(quiver.StoreRefused):
            server.run(talk.submit(submission))
        server.now += 1801
        if pieces:
            with pytest.raises(quiver.StoreUnavailable, match="only a part"):
                server.run(talk.submit(submission))
        else:
            server.run(talk.submit(submission))
        assert len(submission.calls) == pieces


def test_an_interrupted_call_is_repeated_under_its_number():
    server = Server()
    made, submission = exchange(server), Submission(trees(1))
    talk = made.submit(submission)
    asked = next(talk)  # the pool
    command, = talk.send([1 for _ in asked])
    talk.close()
    server.run(made.submit(Submission(trees(1))))
    assert server.sent[-1][0] != command[3]
    server.run(made.submit(submission))
    assert server.sent[-1] == (command[3], 1)


def test_a_name_whose_holder_was_not_read_is_read_again():
    server = Server()
    made, batch = exchange(server), Batch(Nobody(), "p", 3600)
    named, lost = batch.task("f", once="n"), [True]

    def reply(command):
        if command[0] == "HMGET" and command[1].endswith("task:roots"):
            return Lost("gone") if lost[0] else [None]
        return [b"holder"] if command[0] == "HMGET" and command[1].endswith("task:names") else Server.reply(server, command)

    server.reply = reply
    with pytest.raises(quiver.StoreUnavailable):
        server.run(made.create(batch))
    lost[0] = False
    server.run(made.create(batch))
    assert named.id == "holder"


@pytest.mark.parametrize("words", [
    "ERR Function not found", "NOPERM User x has no permissions to run the 'fcall' command",
    "NOPERM this user has no permissions to run the 'fcall' command"])
def test_a_missing_function_has_the_keyspace_read_again(words):
    server = Server(Refusal(words))
    made = exchange(server)
    server.meta[2] = b"quiver_y"
    server.run(made.submit(Submission(trees(1))))
    assert len(server.sent) == 2
    server.say = [Refusal(words)] * 100
    with pytest.raises(quiver.StoreRefused, match="has not loaded it"):
        server.run(made.submit(Submission(trees(1))))


@pytest.mark.parametrize("meta, words", [
    ((b"2", b"1", b"l", None), "version 2 of its layout.*update"),
    ((b"1", b"7", b"l", None), "version 7 of its calls.*update"),
    ((b"1", b"7", b"l", b"6"), "version 7 of its calls.*update"),
    ((None, None, None, None), "no WorkerPool has it"),
    ((b"1", None, None, None), "names no functions"),
])
def test_a_keyspace_that_it_cannot_use_is_refused_in_words(meta, words):
    with pytest.raises(quiver.StoreRefused, match=words):
        exchange(Server(meta=meta))


def test_functions_of_a_later_release_are_called_by_the_version_that_is_known():
    server = Server(meta=(b"1", b"%d" % (CALLS + 1), b"quiver_z", b"%d" % CALLS))
    server.run(exchange(server).submit(Submission(trees(1))))
    assert server.functions == [f"quiver_z_task_submit_v{CALLS}"]
    server.meta[1] = b"%d" % CALLS  # as one that is older again
    server.run(exchange(server).submit(Submission(trees(1))))
    assert server.functions[1:] == ["quiver_z_task_submit"]


@pytest.mark.parametrize("password", ["pa#ss", "pa/ss", "pa?ss", "p@ss"])
def test_a_url_with_a_raw_character_is_refused_without_the_password(password):
    with pytest.raises(ValueError, match="percent-encoded") as refused:
        carriers.connect(None, None, Mock(), Mock(), f"redis://:{password}@host:6379/0", {})
    assert "ss" not in str(refused.value).replace("password", "")


def test_no_right_to_functions_is_said():
    server = Server(Refusal("ERR unknown command 'fcall'"))
    made = exchange(server)
    with pytest.raises(quiver.StoreRefused, match="has no functions"):
        server.run(made.submit(Submission(trees(1))))


class Nobody:
    _creating = None


def test_handles_get_the_ids_of_their_nodes():
    batch = Batch(Nobody(), "p", 3600)
    a, b, c = (batch.task(name) for name in "abc")
    whole = batch.chain(a, batch.group(b, quiver.call("d")))
    made = batch._trees()
    assert [tree.id for tree in made] == [c.id, whole.id]
    assert [a.id, b.id] == [whole.id + ".1", whole.id + ".3"]
    assert batch._trees() == []


def test_what_is_no_new_task_is_no_child():
    batch = Batch(Nobody(), "p", 3600)
    task = batch.task("f")
    batch.chain(task)
    with pytest.raises(ValueError, match="one composite at most"):
        batch.group(task)
    with pytest.raises(ValueError, match="of whole trees"):
        batch.chain(batch.task("f", delay=3))
    with pytest.raises(ValueError, match="no new task"):
        batch.chain(Batch(Nobody(), "p", 1).task("f"))


def test_a_name_goes_with_its_tree_and_the_handle_gets_the_holders_id():
    server = Server()
    batch = Batch(Nobody(), "p", 3600)
    named, plain = batch.task("f", once="nightly é"), batch.task("f")

    def reply(command):
        if command[0] == "HMGET" and command[1].endswith("task:roots"):
            return [None]
        if command[0] == "HMGET" and command[1].endswith("task:names"):
            assert command[2:] == ("n:nightly é",)
            return [b"holder"]
        return Server.reply(server, command)

    server.reply = reply
    made = exchange(server)
    server.run(made.create(batch))
    assert named.id == "holder" and len(plain.id) == 14
    server.run(made.create(batch))
    assert named.id == "holder"


@pytest.mark.parametrize("name", ["", "x" * 254, "a\nb", 7])
def test_a_name_that_is_none_is_refused(name):
    with pytest.raises(ValueError, match="once is"):
        Tree("t", Node(quiver.call("f"), "p"), once=name)


def test_a_name_until_the_start_is_of_a_task_alone():
    waiting, newest = quiver.Once("n", until="start"), quiver.Once("n", until="start", replace=True)
    assert [list(calls([Tree("t", Node(quiver.call("f"), "p"), once=once)]))[0].arguments[0] for once in ("n", waiting, newest)] == [
        "t n", "t \1n", "t \2n"]
    with pytest.raises(ValueError, match="not of a composite"):
        Tree("t", Node(quiver.chain(quiver.call("f")), "p"), once=newest)
    with pytest.raises(ValueError, match="it is of a whole task"):
        Node(quiver.chain(quiver.call("f", once="n")), "p")
    batch = Batch(Nobody(), "p", 3600)
    assert batch.add(quiver.call("f", once=newest))._options[3].text() == "\2n"


@pytest.mark.parametrize("wrong", [{"until": "now"}, {"replace": True}, {"until": "start", "replace": 1}])
def test_a_once_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(ValueError, match="until is|replace is"):
        quiver.Once("n", **wrong)


def test_a_plan_is_of_a_function_with_a_short_name():
    node = Node(quiver.call("f", plan=True, plan_seconds=9), "p")
    assert node.handler == "f#plan" and b'"planMillis":9000' in node.document
    for said, words in ((quiver.call("f#plan"), "ends in #plan, which only workers say"), (quiver.call("x" * 124, plan=True), "123 bytes at most"),
                        ({"handler": "f", "planSeconds": 3}, "there is no plan"), ({"handler": "f", "undo": True}, "a plan alone"), ({"handler": "f", "plan": 1}, "plan is True or False")):
        with pytest.raises((ValueError, TypeError), match=words):
            Node(said, "p")


@pytest.mark.parametrize(
    "code, problem, words",
    [
        ("GONE", quiver.TaskGone, "is gone"),
        ("AGAIN", ValueError, "ten seconds after its end"),
        ("NOTHING", ValueError, "undone as a whole"),
    ],
)
def test_what_cannot_be_undone_is_said(code, problem, words):
    server = Server()
    server.reply = lambda command: [CODES[code]] if "_undo" in command[1] else Server.reply(server, command)
    with pytest.raises(problem, match=words):
        server.run(exchange(server).undo("t"))


@pytest.mark.parametrize("tasks, words", [
    (quiver.chain(quiver.call("f"), undo=True), "no task of the composite has a plan"),
    (quiver.chain(quiver.call("f", plan=True, undo=True)), "undo is True: it is of a whole task"),
    (quiver.group(quiver.chain(quiver.call("f", plan=True), undo=True)), "undo is True: it is of a whole task"),
])
def test_an_undo_that_cannot_be_is_refused(tasks, words):
    with pytest.raises(ValueError, match=words):
        Node(tasks, "p")


def test_undo_is_true_or_false():
    with pytest.raises(ValueError, match="undo is 1: it is True or False"):
        quiver.chain(quiver.call("f", plan=True), undo=1)
    with pytest.raises(TypeError, match="undo is a field of a call alone: a command has no plan"):
        nodes.check({"command": ["x"], "undo": True})


def test_a_task_of_a_batch_that_can_be_undone_alone_stands_in_no_composite():
    b = Batch(Nobody(), "p", 3600)
    with pytest.raises(ValueError, match="of a whole task"):
        b.chain(b.task("f", plan=True, undo=True))


def test_plans_below_a_composite_are_asked_for_its_undo():
    plan, each = quiver.call("f", plan=True), quiver.for_each(quiver.call("g", "$(results.f)", plan=True))
    tree = Tree("t", Node(quiver.chain(plan, quiver.call("f"), each, undo=True), "p"))
    documents = [json.loads(document) for _, _, document, _ in tree.rows]
    assert [document.get("undoOfTree") for document in documents] == [None, True, None, None, True]


def left(*lists):
    return "".join(json.dumps({"at": at, "node": node, "pool": "p", "tasks": json.dumps(tasks), **more}) + "\n"
                   for at, node, tasks, more in lists)


def test_what_was_planned_last_is_undone_first_and_names_are_those_of_their_list():
    named = quiver.chain(quiver.call("f", name="n"), quiver.call("g", "$(results.n)"))
    tree = undoing.tree(left((5, 1, [named], {}), (7, 2, [quiver.call("z", pool="q", plan=True, undo=True)], {"share": "acme"})))
    assert [node.handler for node in tree.order] == ["", "", "", "z#plan", "", "f", "g"]
    assert [node.pool for node in tree.order] == ["", "", "", "q", "", "p", "p"]
    documents = [json.loads(document) for _, _, document, _ in tree.rows]
    assert documents[3]["undoOfTree"] and documents[5]["name"] == "n.1.0"
    assert documents[6]["args"] == ["$(results.n.1.0)"] and documents[6]["results"] == {"n.1.0": 5}
    assert "acme" in tree.rows[3][1] and "acme" not in tree.rows[5][1]


def test_lines_end_with_a_line_feed_alone():
    text = "\u2028 \u2029 \x85"
    line = json.dumps({"at": 1, "node": 1, "pool": "p", "tasks": json.dumps([quiver.call("f", text)])}).replace("\\\\u2028", "\u2028")
    tree = undoing.tree(line.replace("\\\\u2029", "\u2029").replace("\\\\u0085", "\x85") + "\n")
    assert json.loads(tree.rows[1][2])["args"] == [text]


def test_clocks_that_step_change_no_order():
    tree = undoing.tree(left((9, 1, [quiver.call("first")], {}), (3, 1, [quiver.call("second")], {})))
    assert [node.handler for node in tree.order] == ["", "", "", "second", "first"]


def test_a_composite_that_was_refused_leaves_its_tasks_as_they_were():
    b = Batch(Nobody(), "p", 3600)
    task = b.task("f", plan=True)
    with pytest.raises(ValueError, match="of a call or a command, not of a composite"):
        b.chain(task, undo=True, once=quiver.Once("n", until="start"))
    b.chain(task, undo=True)
    tree, = b._trees()
    assert tree.rows[1][2].count(b"undoOfTree") == 1


@pytest.mark.parametrize("text", [
    "nonsense", "[]", "{}", left((1, 1, [1], {})), left((1, 1, {"handler": 1}, {})), "[" * 100_000,
    left((1, 1, [{"handler": 7}], {})), left((1, 1, [{"handler": "f", "args": 3}], {})), left((1, 1, [quiver.call("f", 1e999)], {})),
    left((1, 1, [{"chain": 5}], {})), left((1, 1, [quiver.call("f")], {"pool": 3})),
], ids=itertools.count())
def test_what_a_tenant_wrote_in_place_of_an_undo_is_refused(text):
    with pytest.raises(ValueError, match="what would undo the task makes no sense"):
        undoing.tree(text)


def test_results_are_read_in_replies_of_few_bytes():
    large, most, sent = b'J\n"' + b"1" * 200_000 + b'"', 512 * 1024, []
    stored = {f"t{i}": large if i % 2 else b"J\n2" for i in range(9)}

    def answer(command):
        if command[0] == "HMGET" and command[1].endswith("task:nodes"):
            return [b"L\tf\t\t" for _ in command[2:]]
        assert command[0] == "FCALL" and command[1].endswith("_task_results")
        at = 3 + command[2]
        left, reply = command[at], [CODES["OK"]]
        for id in command[at + 1:]:
            text = stored.get(id, b"")
            taken = text if len(text) <= left else b""
            left -= len(taken)
            reply += [len(text), taken, b""]
        sent.append(sum(len(part) for part in reply[2::3]))
        return reply

    exchange = Exchange(Keyspace("x"), 10)
    talk = exchange.outcomes([*stored, "none"])
    step = next(talk)
    with pytest.raises(StopIteration) as end:
        while True:
            step = talk.send([answer(command) for command in step])
    assert end.value.value == ["1" * 200_000 if len(text) > 9 else 2 for text in stored.values()] + [None]
    assert len(sent) == 2 and max(sent) <= most


def _lasting(patience=1):
    return Exchange(Keyspace("x"), patience)._make_last([("WAITAOF", 1, 0, 1000), ("WAIT", 1, 1000)], "a")


def test_tasks_last_when_the_disk_and_a_replica_of_the_same_redis_have_them():
    steps = _lasting()
    assert [command[0] for command in next(steps)] == ["HSET", "WAITAOF", "WAIT", "INFO"]
    for confirmed in ([1, 0], 0), ([0, 0], 1):  # one alone is not enough
        steps.send([0, *confirmed, {"run_id": "a"}])
    with pytest.raises(StopIteration):
        steps.send([0, [1, 0], 1, {"run_id": "a"}])


def test_another_redis_that_answers_may_have_lost_them():
    steps = _lasting()
    next(steps)
    with pytest.raises(quiver.StoreUnavailable, match="then another Redis answered"):
        steps.send([0, [1, 0], 1, {"run_id": "b"}])


def test_a_refusal_after_they_were_created_says_that_they_are():
    steps = _lasting()
    next(steps)
    with pytest.raises(quiver.StoreUnavailable, match="the tasks are created, and nobody tells whether they last: NOPERM"):
        steps.send([0, Refusal("NOPERM no right"), 1, {"run_id": "a"}])


def test_an_event_that_cannot_be_read_is_one_that_has_to_be_asked_for():
    row = {"position": b"5000-0/7", "kind": b"executed", "id": b"t", "handler": b"h", "outcome": b"J\n{nonsense"}
    event = Event.of(row)
    assert (event.told, event.result, event.at, event.handler) == (False, None, 5.0, "h")
    assert Event.of({**row, "outcome": b"J\n7"}).result == 7
    for senseless in b"E7", b"E{", b"E" + b"[" * 4000:
        assert isinstance(Event.of({**row, "kind": b"failed", "outcome": senseless}).error, quiver.TaskFailed)
