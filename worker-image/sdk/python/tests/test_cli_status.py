"""`kubectl quiver status` and the frame of all verbs, against a real API server as view, edit and nobody."""

import json
import subprocess
import sys
import time

import pytest
from cluster import RUNNING, condition, pod, pool, task_set


@pytest.fixture
def specs(cluster):
    cluster.create(pool("shared"), {"replicas": 2, "readyReplicas": 2, "slots": 16, "busySlots": 16,
                                    "conditions": [condition("Ready", "True", "AllReplicasReady")]})
    cluster.create(task_set("specs"), RUNNING)


@pytest.mark.parametrize("caller", ["viewer", "editor"])
def test_a_run_is_told_in_eighty_columns_without_what_a_terminal_obeys(cluster, specs, caller):
    ended = cluster.run(caller, "status", "specs", COLUMNS="80")
    assert ended.code == 0, ended.err
    lines = [line for line in ended.out.splitlines() if "rate" not in line and "time " not in line]
    assert lines == [
        "TaskSet team-a/specs: Running",
        "  progress  412/1000 (41 %), 16 running, 572 queued, 3 failed",
        "  ETA       3m, 2026-01-01T00:05:00Z",
        "  pool      shared, 2/2 pods ready, 16 of 16 slots busy",
        "  message   16 tasks run.",
        "  ✗ spec/\\u001b[31ma\\u202e.py, trial 3: NonZeroExit, exit code 1",
        "      expected 1",
        "      got \\u001b[2J2",
    ]


def test_a_run_as_json(cluster, specs):
    found = cluster.run("viewer", "status", "tset/specs", "-o", "json").json
    assert {name: found[name] for name in ("kind", "name", "finished", "reason", "total", "running", "percent", "slots")} == {
        "kind": "TaskSet", "name": "specs", "finished": False, "reason": "Running", "total": 1000, "running": 16, "percent": 41,
        "slots": 16}
    assert found["failures"][0]["message"] == "expected 1\ngot \u001b[2J2" and found["waits"] == [] and found["why"] == ""
    assert found["ratePerSecond"] > 0


def test_all_of_a_namespace_are_a_table(cluster, specs):
    ended = cluster.run("viewer", "status", COLUMNS="80")
    assert ended.out.splitlines() == [
        "NAME           PROGRESS   %    RUNNING   FAILED   ETA   STATE",
        "tset/specs     412/1000   41   16        3        3m    Running",
        "wpool/shared   2/2 pods        16/16                    AllReplicasReady",
    ]
    found = cluster.run("viewer", "status", "-o", "json").json["items"]
    assert [one["name"] for one in found] == ["specs", "shared"]
    assert cluster.run("admin", "status", "-A", COLUMNS="80").out.splitlines()[1].startswith("team-a      tset/specs")
    assert cluster.run("viewer", "status", "-l", "no=such").err == "kubectl quiver: no runs and no pools in namespace team-a\n"


def test_no_line_is_wider_than_the_terminal(cluster):
    cluster.create(task_set("n" * 40), RUNNING | {"progress": "1000000/1000000", "conditions": [
        condition("Finished", "False", "WaitingForWorkers", "wide 漢字 and long " * 12)]})
    for arguments in (["status"], ["status", "n" * 40], ["status", "-A"]):
        ended = cluster.run("admin", "-n", "team-a", *arguments, COLUMNS="60")
        assert ended.code == 0 and ended.out and all(len(line) <= 60 for line in ended.out.splitlines()), ended.out
    assert "n" * 40 in cluster.run("viewer", "status", COLUMNS="").out  # a program gets all of it


def test_why_a_run_waits_goes_down_to_the_scheduler(cluster):
    cluster.create(pool("shared"), {"conditions": [condition("Ready", "False", "PodsUnschedulable", "2 pods wait for a node.")]})
    cluster.create(task_set("specs"), {"queued": 1000, "total": 1000, "workerPoolName": "shared", "conditions": [
        condition("Finished", "False", "WaitingForWorkers", "No worker takes the tasks.")]})
    cluster.create(pod("shared-0", "shared"), {"conditions": [
        condition("PodScheduled", "False", "Unschedulable", "0/3 nodes are available: 3 Insufficient cpu.")]})
    found = cluster.run("viewer", "status", "specs", "-o", "json").json
    assert [link["of"] for link in found["waits"]] == ["tset/specs", "wpool/shared", "pod/shared-0", "scheduler"]
    assert found["why"] == (
        "tset/specs is WaitingForWorkers (No worker takes the tasks), since wpool/shared: PodsUnschedulable"
        " (2 pods wait for a node), since pod/shared-0: Pending, since scheduler: Unschedulable"
        " (0/3 nodes are available: 3 Insufficient cpu).")


def test_a_run_is_watched_to_its_end(cluster, specs):
    watching = cluster.start("viewer", "status", "specs", "-w", COLUMNS="80")
    assert watching.stdout.readline().startswith("NAME")
    assert "412/1000" in watching.stdout.readline()
    cluster.status("TaskSet", "specs", {"progress": "1000/1000", "percent": 100, "completionTime": "2026-01-01T00:06:40Z",
                                        "conditions": [condition("Finished", "True", "TasksFailed", "3 tasks failed."),
                                                       condition("Succeeded", "False", "TasksFailed")]})
    out, err = watching.communicate(timeout=60)
    assert watching.returncode == 0, err
    assert "1000/1000" in out and "took 6m40s, until 2026-01-01T00:06:40Z" in out and "message   3 tasks failed." in out


def test_who_has_no_rights_is_told_so(cluster, specs):
    for arguments in (["status"], ["status", "specs"], ["status", "specs", "-o", "json"]):
        ended = cluster.run("nobody", *arguments)
        assert (ended.code, ended.out) == (3, "")
        assert ended.err.startswith("kubectl quiver: the rights are not enough: ") and ended.err.count("\n") == 1


def test_names_that_are_not_there_or_not_clear_are_refused(cluster, specs):
    cluster.create(pool("specs"))
    assert "may be tset/specs or wpool/specs: name the kind" in cluster.run("viewer", "status", "specs").err
    for name, words in (("nowhere", "there is no TaskSet or Task"), ("job/x", "the kind is one of tset"), ("tset/", "no name")):
        ended = cluster.run("viewer", "status", name)
        assert ended.code == 3 and words in ended.err, ended.err


def test_a_false_token_and_a_client_certificate(cluster, specs, tmp_path):
    config = json.loads(cluster.kubeconfigs["viewer"].read_text())
    config["users"][0]["user"] = {"token": "x.y.z"}
    (tmp_path / "false").write_text(json.dumps(config))
    ended = cluster.run(tmp_path / "false", "status")
    assert ended.code == 3 and "may have expired: Unauthorized" in ended.err and ended.err.count("\n") == 1
    assert cluster.run("admin", "-n", "team-a", "status").code == 0  # by its certificate


def test_a_certificate_that_nobody_vouches_for_is_refused_unless_that_is_wanted(cluster, specs, tmp_path):
    config = json.loads(cluster.kubeconfigs["viewer"].read_text())
    del config["clusters"][0]["cluster"]["certificate-authority-data"]
    (tmp_path / "config").write_text(json.dumps(config))
    ended = cluster.run(tmp_path / "config", "status")
    assert ended.code == 4 and "its certificate is not trusted" in ended.err and ended.err.count("\n") == 1
    config["clusters"][0]["cluster"]["insecure-skip-tls-verify"] = True
    (tmp_path / "config").write_text(json.dumps(config))
    assert cluster.run(tmp_path / "config", "status").code == 0


def test_an_exec_plugin_gives_the_token(cluster, specs, tmp_path):
    config = json.loads(cluster.kubeconfigs["viewer"].read_text())
    token = config["users"][0]["user"]["token"]
    plugin = tmp_path / "plugin"
    plugin.write_text("#!/bin/sh\ntest -n \"$KUBERNETES_EXEC_INFO\" && printf '%s' \"$ANSWER\"\n")
    plugin.chmod(0o755)

    def answering(answer):
        config["users"][0]["user"] = {"exec": {
            "apiVersion": "client.authentication.k8s.io/v1", "command": str(plugin), "interactiveMode": "Never",
            "env": [{"name": "ANSWER", "value": answer}]}}
        (tmp_path / "config").write_text(json.dumps(config))
        return cluster.run(tmp_path / "config", "status", "specs")

    made = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": token}}
    assert answering(json.dumps(made)).code == 0
    assert "printed no ExecCredential" in answering("hello").err
    plugin.unlink()
    assert "cannot be started" in answering("").err


def test_flags_choose_context_and_caller(cluster, specs):
    assert cluster.run("admin", "--context", "viewer", "--kubeconfig", str(cluster.kubeconfigs["viewer"]), "status").code == 0
    assert "no-such" in cluster.run("viewer", "--context=no-such", "status").err
    ended = cluster.run("admin", "-n", "team-a", "--as", "system:serviceaccount:team-a:nobody", "status")
    assert ended.code == 3 and "team-a:nobody" in ended.err


def test_a_pipe_that_breaks_ends_it_silently(cluster, specs):
    shell = subprocess.run(["bash", "-c", '"$@" | true; echo ${PIPESTATUS[0]}', "-", sys.executable, "-m", "quiver.cli", "status",
                            "-o", "json"], env=cluster.environment("viewer"), capture_output=True, text=True)
    assert shell.stderr == "" and shell.stdout.strip() in ("0", "1")


def test_versions_and_completion_of_names(cluster, specs):
    found = cluster.run("viewer", "version", "-o", "json").json
    assert found["kubernetes"].startswith("v1.") and found["quiver"] is None
    assert cluster.run("viewer", "__complete", "status", "tset/").out == "tset/specs\n:4\n"
    assert "--watch" in cluster.run("viewer", "__complete", "status", "--w").out
    assert "status" in cluster.run("viewer", "__complete", "st").out


def test_the_first_line_takes_little_processor_time(cluster, specs, plugin):
    """The bound is twice what the contract names for an idle core: this one is not idle."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    began, spent = time.monotonic(), []
    for _ in range(5):
        subprocess.run([plugin, "status"], env=cluster.environment("viewer"), check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        before = after
    print(f"kubectl quiver status: {min(spent) * 1000:.0f} ms of processor, {(time.monotonic() - began) / 5 * 1000:.0f} ms")
    assert min(spent) < 0.4
