"""Verbs of `kubectl quiver` that change and follow runs, against a real API server as view, edit and nobody."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import pytest
from cluster import RUNNING, condition, pod, pool, task, task_set


def _spec(cluster, kind, name):
    return json.loads(cluster.kubectl("-n", "team-a", "get", kind, name, "-o", "json"))["spec"]


def _ended(reason, succeeded="False"):
    return RUNNING | {"progress": "1000/1000", "percent": 100, "completionTime": "2026-01-01T00:06:40Z", "conditions": [
        condition("Finished", "True", reason, "It is over."), condition("Succeeded", succeeded, reason)]}


def _once_followed(process, words="412/1000"):
    """Reads until the program has seen the run."""
    for line in process.stdout:
        if words in line:
            return
    raise AssertionError(process.stderr.read())


def test_runs_are_suspended_resumed_cancelled_and_scaled_by_who_may_edit(cluster):
    cluster.create(task_set("specs"), RUNNING)
    cluster.create(pool("shared"))
    assert cluster.run("editor", "suspend", "specs").out == "tset/specs suspended\n"
    assert _spec(cluster, "tset", "specs")["suspend"] is True
    assert cluster.run("editor", "resume", "tset/specs").out == "tset/specs resumed\n"
    assert _spec(cluster, "tset", "specs")["suspend"] is False
    assert cluster.run("editor", "scale", "specs", "--replicas", "7").out == "tset/specs scaled to 7\n"
    assert cluster.run("editor", "scale", "wpool/shared", "--replicas=3").code == 0
    assert (_spec(cluster, "tset", "specs")["replicas"], _spec(cluster, "wpool", "shared")["replicas"]) == (7, 3)
    assert cluster.run("editor", "cancel", "specs").out == "tset/specs cancelled\n"
    assert _spec(cluster, "tset", "specs")["cancel"] is True
    cluster.status("TaskSet", "specs", _ended("Cancelled"))
    assert cluster.run("editor", "cancel", "specs").out == "tset/specs is finished already\n"


@pytest.mark.parametrize("caller", ["viewer", "nobody"])
def test_who_may_not_edit_changes_nothing(cluster, caller):
    cluster.create(task_set("specs"), RUNNING)
    cluster.create(pod("shared-0", "shared"))
    before = _spec(cluster, "tset", "specs")
    for arguments in (["suspend", "specs"], ["resume", "specs"], ["cancel", "specs"], ["scale", "specs", "--replicas=1"],
                      ["drain", "shared-0"]):
        ended = cluster.run(caller, *arguments)
        assert ended.code == 3 and "the rights are not enough" in ended.err and ended.err.count("\n") == 1, ended.err
    assert _spec(cluster, "tset", "specs") == before


def test_a_retry_makes_a_set_of_what_did_not_pass(cluster):
    cluster.create(task_set("specs") | {"spec": task_set("specs")["spec"] | {"maxTrials": 2, "suspend": True}}, _ended("TasksFailed"))
    ended = cluster.run("editor", "retry", "specs", "--name", "mended")
    assert ended.out == "tset/mended made: what did not pass in tset/specs\n", ended.err
    before, made = _spec(cluster, "tset", "specs"), _spec(cluster, "tset", "mended")
    assert made == before | {"onlyFailedOf": "specs", "suspend": False}
    ended = cluster.run("editor", "retry", "tset/mended")
    assert re.fullmatch(r"tset/mended-again-\w{5} made: what did not pass in tset/mended, once that has ended\n", ended.out), ended.err
    assert _spec(cluster, "tset", ended.out.split()[0].partition("/")[2])["onlyFailedOf"] == "mended"
    for caller, arguments, words in (("editor", ["retry", "nobody"], "there is no TaskSet 'nobody'"),
                                     ("editor", ["retry", "qtask/specs"], "the kind is one of tset"),
                                     ("editor", ["retry", "specs", "--name", "mended"], "already exists"),
                                     ("viewer", ["retry", "specs"], "the rights are not enough")):
        ended = cluster.run(caller, *arguments)
        assert ended.code == 3 and words in ended.err and ended.err.count("\n") == 1, ended.err


def test_a_task_is_undone_once(cluster):
    cluster.create(task("draft", undo=True))
    ended = cluster.run("editor", "undo", "draft")
    assert ended.out == "qtask/draft-undo made: it undoes qtask/draft, once that has ended or at once where it has not begun\n", ended.err
    assert _spec(cluster, "qtask", "draft-undo") | {"undoOf": "draft", "undo": True} == _spec(cluster, "qtask", "draft-undo")
    assert "task" not in _spec(cluster, "qtask", "draft-undo")
    ended = cluster.run("editor", "undo", "qtask/draft")
    assert (ended.code, ended.out) == (0, "qtask/draft-undo undoes qtask/draft already\n")
    over = [condition("Finished", "True", "Undone", "Task draft is undone."), condition("Succeeded", "True", "Undone")]
    cluster.status("Task", "draft-undo", {"progress": "1/1", "conditions": over})
    cluster.status("Task", "draft", {"undo": {"state": "Undone", "tasks": 1, "by": "draft-undo"}})
    ended = cluster.run("editor", "undo", "draft", "--name", "another", "--wait")
    assert ended.code == 0 and ended.out.splitlines()[0] == "qtask/draft is undone already, by qtask/draft-undo", ended.err
    assert ended.out.splitlines()[-2:] == ["qtask/draft-undo: Undone, 1/1", "  Task draft is undone."]
    assert cluster.run("editor", "undo", "draft", "-o", "name").out == "qtask/draft-undo\n"
    ended = cluster.run("editor", "undo", "draft-undo", "--name", "redo", "-o", "json")
    assert ended.json["made"] is True and _spec(cluster, "qtask", "redo")["undoOf"] == "draft-undo", ended.err
    ended = cluster.run("editor", "undo", "draft", "--wait", "-o", "json")
    assert (ended.json["exitCode"], ended.json["made"], ended.json["run"]["reason"]) == (0, False, "Undone")
    assert cluster.run("editor", "__complete", "undo", "qtask/dr").out == "qtask/draft\nqtask/draft-undo\n:4\n"


def test_an_undo_that_cannot_be_is_refused(cluster):
    cluster.create(task("plain"))
    cluster.create(task("draft", undo=True))
    cluster.create(task("draft-undo"))
    cluster.create(task("gone", undo=True))
    cluster.status("Task", "gone", {"undo": {"state": "Undone", "tasks": 1, "by": "nobody"}})
    for caller, arguments, words in (("editor", ["plain"], "qtask/plain has no spec.undo: true"),
                                     ("editor", ["nobody"], "there is no Task 'nobody'"),
                                     ("editor", ["draft"], "qtask/draft-undo is there and undoes no qtask/draft"),
                                     ("editor", ["gone"], "was undone by qtask/nobody, which is gone"),
                                     ("editor", ["draft", "--timeout", "1s"], "--timeout needs --wait"),
                                     ("editor", ["tset/draft"], "the kind is one of qtask"),
                                     ("viewer", ["draft", "--name", "new"], "the rights are not enough")):
        ended = cluster.run(caller, "undo", *arguments)
        assert ended.code == 3 and words in ended.err and ended.err.count("\n") == 1, ended.err
    ended = cluster.run("editor", "undo", "draft", "--name", "new", "--wait", "--timeout", "1s")
    assert ended.code == 124, ended.err


def test_more_than_one_is_asked_for(cluster):
    for name in ("one", "two"):
        made = task_set(name)
        made["metadata"]["labels"] = {"night": "5"}
        cluster.create(made)
    ended = cluster.run("editor", "suspend", "-l", "night=5")
    assert ended.code == 3 and "suspend means 2 objects, and nobody can be asked: --yes agrees" in ended.err, ended.err
    assert not _spec(cluster, "tset", "one").get("suspend")
    assert _at_terminal(cluster, b"n\n", "suspend", "one", "two") == 3
    assert not _spec(cluster, "tset", "one").get("suspend")
    assert _at_terminal(cluster, b"y\n", "suspend", "one", "two") == 0
    assert _spec(cluster, "tset", "two")["suspend"] is True
    ended = cluster.run("editor", "resume", "-l", "night=5", "--yes")
    assert ended.out.splitlines() == ["tset/one resumed", "tset/two resumed"]
    for arguments, words in ((["cancel"], "names, or -l"), (["cancel", "-l", "no=such"], "has the labels no=such"),
                             (["cancel", "wpool/x"], "the kind is one of"), (["scale", "one", "--replicas=2001"], "not between")):
        ended = cluster.run("editor", *arguments)
        assert ended.code == 3 and words in ended.err, ended.err


def _at_terminal(cluster, answer, *arguments):
    ours, theirs = pty.openpty()
    try:
        os.write(ours, answer)
        return subprocess.run([sys.executable, "-m", "quiver.cli", *arguments], stdin=theirs, stdout=subprocess.DEVNULL,
                              env=cluster.environment("editor"), timeout=60).returncode
    finally:
        os.close(ours)
        os.close(theirs)


def test_a_worker_pod_drains_and_no_other_pod(cluster):
    cluster.create(pod("shared-0", "shared"))
    stranger = pod("web", "shared")
    del stranger["metadata"]["labels"]
    cluster.create(stranger)
    assert "belongs to no WorkerPool" in cluster.run("editor", "drain", "web").err
    ended = cluster.run("editor", "drain", "shared-0")
    assert ended.code == 0 and ended.out == "pod/shared-0 drains: its tasks have 30 s to end, and pool shared makes another pod\n"
    ended = cluster.run("editor", "drain", "shared-0")
    assert "drains already" in ended.out or "not found" in ended.err


@pytest.mark.parametrize("reason, succeeded, code", [
    ("AllTasksSucceeded", "True", 0), ("TasksFailed", "False", 1), ("StoreLost", "False", 1), ("Cancelled", "False", 2),
    ("DeadlineExceeded", "False", 2), ("AlreadyQueued", "False", 2), ("Replaced", "False", 2)])
def test_the_end_of_a_run_is_an_exit_code(cluster, reason, succeeded, code):
    cluster.create(task_set("specs"), RUNNING)
    waiting = cluster.start("viewer", "wait", "specs", "--timeout", "100s")
    _once_followed(waiting)
    cluster.status("TaskSet", "specs", _ended(reason, succeeded))
    out, err = waiting.communicate(timeout=60)
    assert waiting.returncode == code, err
    assert out.splitlines()[-2:] == [f"tset/specs: {reason}, 1000/1000", "  It is over."]


def test_a_wait_ends_at_its_time_and_with_the_run(cluster):
    cluster.create(task_set("specs"), RUNNING)
    ended = cluster.run("viewer", "wait", "specs", "--timeout=1s", "-o", "json")
    assert ended.code == 124 and ended.json["exitCode"] == 124 and ended.json["run"]["finished"] is False
    assert ended.err == "kubectl quiver: tset/specs has not ended in time, and goes on\n"
    waiting = cluster.start("viewer", "wait", "specs")
    _once_followed(waiting)
    cluster.kubectl("-n", "team-a", "delete", "tset", "specs")
    out, err = waiting.communicate(timeout=60)
    assert waiting.returncode == 2 and err == "kubectl quiver: tset/specs was deleted\n"
    assert cluster.run("nobody", "wait", "specs").code == 3
    assert cluster.run("viewer", "wait", "specs").code == 3
    assert cluster.run("viewer", "wait", "specs", "--timeout=soon").code == 3


def _file(folder, *documents):
    file = folder / "run.json"
    file.write_text("\n---\n".join(json.dumps(one) for one in documents))
    return str(file)


def test_a_file_is_applied_and_its_run_followed_to_its_failures(cluster, tmp_path):
    running = cluster.start("editor", "run", "-f", _file(tmp_path, pool("shared"), task_set("specs")), COLUMNS="80")
    _once_followed(running, "NotAccepted")
    cluster.status("TaskSet", "specs", RUNNING)
    _once_followed(running, "spec/\\u001b[31ma")
    cluster.status("TaskSet", "specs", _ended("TasksFailed"))
    out, err = running.communicate(timeout=60)
    assert running.returncode == 1, err
    assert out.splitlines()[-2:] == ["tset/specs: TasksFailed, 1000/1000", "  It is over."]
    assert out.count("\u2717") == 0  # each failure once, and that was read above
    assert _spec(cluster, "wpool", "shared")["replicas"] == 2
    ended = cluster.run("editor", "run", "-f", _file(tmp_path, task_set("specs")))
    assert ended.code == 3 and "is there and finished: delete it before, or use metadata.generateName" in ended.err


def test_a_name_is_made_where_the_file_asks_for_one(cluster, tmp_path):
    made = task_set("x")
    made["metadata"] = {"generateName": "night-"}
    for _ in range(2):
        running = cluster.start("editor", "run", "-f", "-")
        running.stdin.write(json.dumps(made))
        running.stdin.close()
        running.stdin = None
        name = running.stdout.readline().split(":")[0].removeprefix("tset/")
        assert name.startswith("night-"), running.stderr.read()
        cluster.status("TaskSet", name, _ended("AllTasksSucceeded", "True"))
        out, err = running.communicate(timeout=60)
        assert running.returncode == 0, err


def test_what_cannot_run_is_refused(cluster, tmp_path):
    for caller, document, words in (
        ("viewer", task_set("specs"), "forbidden"), ("editor", pool("shared"), "has no TaskSet or Task or MapReduceJob"),
        ("editor", task_set("specs", maxTrials=0), "maxTrials"), ("nobody", task_set("specs"), "the rights are not enough"),
    ):
        ended = cluster.run(caller, "run", "-f", _file(tmp_path, document))
        assert ended.code == 3 and words in ended.err and ended.err.count("\n") == 1, ended.err
    assert cluster.run("editor", "run", "-f", "/no/such").code == 3
    ended = cluster.run("editor", "run", "-f", _file(tmp_path, task_set("a"), task_set("b")), "--junit", "x")
    assert ended.code == 3 and "a report is of one" in ended.err


def test_a_followed_run_goes_on_when_its_follower_is_interrupted_or_out_of_time(cluster, tmp_path):
    ended = cluster.run("editor", "run", "-f", _file(tmp_path, task_set("specs")), "--timeout=1s")
    assert ended.code == 124
    running = cluster.start("editor", "run", "-f", _file(tmp_path, task_set("specs")))
    _once_followed(running, "NotAccepted")
    running.send_signal(signal.SIGINT)
    assert running.wait(timeout=60) == 130 and "Traceback" not in running.stderr.read()
    assert not _spec(cluster, "tset", "specs").get("cancel")


def test_a_run_is_followed_through_a_restart_of_its_watch(cluster, monkeypatch):
    """Each watch ends after a second here, so several of them see the run."""
    from quiver.cli import access, api, kinds

    class Flags:
        kubeconfig, context, namespace, as_user = str(cluster.kubeconfigs["viewer"]), None, None, None

    monkeypatch.setenv("KUBECTL", str(cluster.kubectl_binary))
    monkeypatch.setattr(api, "_WATCH_SECONDS", 1)
    cluster.create(task_set("specs"), RUNNING)
    server = api.Api(access.Access(Flags))
    states = server.watched(kinds.TASK_SET.path("team-a"), "specs", time.monotonic() + 60)
    assert next(states)["status"]["percent"] == 41
    for _ in range(3):
        assert next(states)["status"]["percent"] == 41  # the GET behind each watch
    cluster.status("TaskSet", "specs", {"percent": 42})
    assert any(state["status"]["percent"] == 42 for state in states)
