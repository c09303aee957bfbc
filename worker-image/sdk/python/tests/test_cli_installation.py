"""`kubectl quiver top` and `doctor` against a real API server. It has no record and no operator."""

import json

from cluster import RUNNING, condition, pool, task_set

READY = {"replicas": 2, "readyReplicas": 2, "slots": 16, "busySlots": 16, "conditions": [
    condition("Ready", "True", "AllReplicasReady"), condition("StoreReachable", "True", "Connected"),
    condition("SlotsIntact", "True", "SlotsIntact")]}


def test_pools_are_sorted_by_busy_slots_with_what_waits_for_them(cluster):
    cluster.create(pool("idle"), READY | {"busySlots": 0})
    cluster.create(pool("shared"), READY)
    for name in ("a", "b", "c", "d"):
        cluster.create(task_set(name), RUNNING | {"running": 4, "queued": 100})
    cluster.create(task_set("waits", workerPoolRef={"name": "idle"}), {
        "queued": 7, "total": 7, "workerPoolName": "idle", "conditions": [condition("Finished", "False", "WaitingForWorkers")]})
    ended = cluster.run("viewer", "top", COLUMNS="120")
    assert ended.code == 0, ended.err
    first, shared, idle = (line.split() for line in ended.out.splitlines())
    assert first == ["POOL", "PODS", "BUSY", "QUEUED", "STALLED", "STATE", "RUNS"]
    assert shared == ["shared", "2/2", "16/16", "400", "AllReplicasReady", "tset/a", "4,", "tset/b", "4,", "tset/c", "4", "and",
                      "1", "more"]
    assert idle[:4] == ["idle", "2/2", "0/16", "7"] and idle[4].endswith("d") and idle[5:] == ["AllReplicasReady", "tset/waits", "0"]
    found = cluster.run("viewer", "top", "-o", "json").json["items"]
    assert [(one["name"], one["queued"], one["stalledSince"]) for one in found] == [
        ("shared", 400, None), ("idle", 7, "2026-01-01T00:00:00Z")]
    assert all(len(line) <= 80 for line in cluster.run("viewer", "top", COLUMNS="80").out.splitlines())
    assert cluster.run("nobody", "top").code == 3


def test_resources_that_tasks_wait_for_or_hold_have_a_table_of_their_own(cluster):
    cluster.create(pool("plain"), READY)
    cluster.create(pool("mail"), READY | {"blocked": 415, "resources": [
        {"name": "credentials!0", "state": "Missing", "since": "2026-01-01T00:00:00Z", "by": "probe", "waiting": 412,
         "message": "GET http://imap:80/: answered 503"},
        {"name": "tenant!acme", "state": "Available", "waiting": 3, "permits": 2, "used": 2, "holders": ["a.1", "b.0"]},
        {"name": "api", "state": "Available", "waiting": 0, "permits": 100, "used": 7, "perSeconds": 60},
        {"name": "online", "state": "Available", "waiting": 0}]})
    pools, resources = cluster.run("viewer", "top", COLUMNS="120").out.split("\n\n")
    first, mail, plain = (line.split() for line in pools.splitlines())
    assert first == ["POOL", "PODS", "BUSY", "QUEUED", "BLOCKED", "STALLED", "STATE", "RUNS"]
    assert mail == ["mail", "2/2", "16/16", "0", "415", "AllReplicasReady"] and "None" not in plain
    first, credentials, tenant, api = (line.split() for line in resources.splitlines())
    assert first == ["POOL", "RESOURCE", "STATE", "SINCE", "WAITING", "USED", "BY"]
    assert credentials[:3] == ["mail", "credentials!0", "Missing"] and credentials[3].endswith("d")
    assert credentials[4:] == ["412", "probe:", "GET", "http://imap:80/:", "answered", "503"]
    assert tenant == ["mail", "tenant!acme", "Available", "3", "2/2", "a.1,", "b.0"]
    assert api == ["mail", "api", "Available", "0", "7/100", "in", "60", "s"]
    mail, = (one for one in cluster.run("viewer", "top", "-o", "json").json["items"] if one["name"] == "mail")
    assert mail["blocked"] == 415 and [one["name"] for one in mail["resources"]] == ["credentials!0", "tenant!acme", "api", "online"]


def test_what_is_amiss_has_a_remedy(cluster):
    cluster.create(pool("shared"), READY)
    ended = cluster.run("editor", "doctor", COLUMNS="200")
    lines = ended.out.splitlines()
    assert ended.code == 0, ended.out + ended.err
    assert any(line.startswith("ok     API server: Kubernetes v1.") for line in lines)
    assert any(line.startswith("ok     clocks: ") for line in lines)
    assert "ok     definitions: quiver.dev/v1alpha1 is served" in lines
    assert "ok     you may start and change runs: create tasksets in team-a" in lines
    assert any(line.startswith("-      you may not reach the record by the API server: get services/proxy") for line in lines)
    assert "ok     wpool/shared: AllReplicasReady" in lines
    assert any(line.startswith("-      record: ") for line in lines)

    cluster.status("WorkerPool", "shared", {"conditions": [
        condition("Ready", "False", "WorkersNotReady"), condition("StoreReachable", "False", "EvictionAllowed", "It is allkeys-lru.")]})
    ended = cluster.run("viewer", "doctor", "-o", "json")
    assert ended.code == 1
    amiss, = (one for one in ended.json["items"] if one["ok"] is False)
    assert amiss["check"] == "wpool/shared" and "EvictionAllowed: It is allkeys-lru." in amiss["message"]
    assert amiss["remedy"] == "set maxmemory-policy of Redis to noeviction"


def test_who_may_see_nothing_is_told_which_role_would_help(cluster):
    ended = cluster.run("nobody", "doctor", COLUMNS="200")
    assert ended.code == 1
    assert "AMISS  you may not see runs and pools: list tasksets in team-a. Remedy: the role view" in ended.out.splitlines()


def test_a_cluster_that_is_away_is_one_line_of_the_doctor(cluster, tmp_path):
    config = json.loads(cluster.kubeconfigs["viewer"].read_text())
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    (tmp_path / "config").write_text(json.dumps(config))
    ended = cluster.run(tmp_path / "config", "doctor", COLUMNS="200")
    assert ended.code == 1 and ended.out == (
        "AMISS  API server: https://127.0.0.1:1 does not answer: Connection refused\n")


def test_releases_are_one_minor_apart_at_most():
    from quiver.cli.verbs.doctor import _near

    assert _near("0.1.0", "0.2.3") and _near("1.4.0", "1.4.9")
    assert _near("0.1.0", "0.3.0") is False and _near("1.0.0", "0.9.0") is False
    assert _near("unreleased", "0.1.0") is None and _near("0.1.0", "") is None
