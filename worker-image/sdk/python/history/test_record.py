"""The reader of the record against a real history with real entries: operator/history starts both (PythonHistoryIT).

QUIVER_HISTORY is its address of loopback, QUIVER_HISTORY_SECURED that with TLS, whose certificate is QUIVER_HISTORY_CA.
QUIVER_HISTORY_TOKEN reads each namespace but closed, and the output of run silent.
"""

import collections
import csv
import datetime
import io
import itertools
import json
import os
import subprocess
import sys

import pyarrow
import pyarrow.compute
import pyarrow.ipc
import pyarrow.parquet
import pytest

from quiver.history import Forbidden, History, HistoryError, NotFound, Unauthorized, Unavailable
from quiver.history.__main__ import main

ADDRESS, SECURED = os.environ["QUIVER_HISTORY"], os.environ["QUIVER_HISTORY_SECURED"]
CA, TOKEN = os.environ["QUIVER_HISTORY_CA"], os.environ["QUIVER_HISTORY_TOKEN"]
T0 = datetime.datetime.fromtimestamp(1_780_000_000, datetime.timezone.utc)
NIGHTS = [f"night-{i}" for i in range(5, -1, -1)]


@pytest.fixture
def history():
    return History(ADDRESS, TOKEN)


def test_runs_are_listed_the_newest_first(history):
    runs = list(history.runs("team-a"))
    assert len(runs) == 19 and runs[0]["uid"] == "empty"
    assert [run["createdAt"] for run in runs] == sorted((run["createdAt"] for run in runs), reverse=True)
    assert [run["uid"] for run in history.runs("team-a", class_="nightly", name="specs")] == NIGHTS
    assert {run["uid"] for run in history.runs("team-a", live=True)} >= {"live", "empty"}
    assert [run["uid"] for run in history.runs("team-a", kind="Task")] == ["tree", "tree-before"]
    assert "mixed-1" in {run["uid"] for run in history.runs("team-a", status="failed")}
    assert list(history.runs("team-b")) == []


def test_namespaces_that_the_token_opens_are_listed(history):
    assert history.namespaces() == {"items": [{"name": "team-a"}], "more": False}
    with pytest.raises(Unauthorized):
        History(ADDRESS, "other").namespaces()


def test_pages_are_read_as_they_are_needed(history, monkeypatch):
    monkeypatch.setattr("quiver.history.client.PAGE", 7)
    tasks = [task["task"] for task in history.tasks("team-a", "mixed")]
    assert tasks == list(range(1004))
    assert [run["uid"] for run in itertools.islice(history.runs("team-a", name="specs"), 2)] == NIGHTS[:2]


def test_a_run_has_its_numbers_tasks_workers_and_failures(history):
    run = history.run("team-a", "mixed")
    assert (run["uid"], run["status"], run["tasks"], run["failedCount"], run["trials"]) == ("mixed-1", "failed", 1004, 50, 1104)
    assert history.run("team-a", "mixed-1") == run
    assert {task["status"] for task in history.tasks("team-a", "mixed", status="failed")} == {"failed"}
    assert [task["task"] for task in history.tasks("team-a", "mixed", q="part_99")] == [99, *range(990, 1000)]
    slowest = [task["runMillis"] for task in history.tasks("team-a", "mixed", order="slowest")]
    assert slowest == sorted(slowest, reverse=True) and len(slowest) == 1004
    failure, = history.failures("team-a", "mixed")
    assert failure == {"reason": "NonZeroExit", "tasks": 50, "firstTask": 950, "message": "second of 950"}
    worker, = history.workers("team-a", "mixed")
    assert worker["pod"] == "pod-worker-0"
    assert history.worker_log("team-a", "mixed", worker["id"]) == "rsync\nsetup done\n"
    assert history.about() == {"database": "SQLite", "ready": True, "emptyDir": True}


def test_nodes_of_a_tree_come_level_by_level(history):
    root, = history.nodes("team-a", "tree")
    children = list(history.nodes("team-a", "tree", root["ordinal"]))
    assert root["name"] == "deploy" and [child["name"] for child in children] == ["fetch", "report"]


def test_trials_are_a_table_with_types(history):
    table = history.trials("team-a", "mixed")
    assert table.num_rows == 900 + 100 + 100 + 4
    statuses = collections.Counter(zip(table["status"].to_pylist(), table["trial"].to_pylist()))
    assert statuses == {("passed", 1): 904, ("failed", 1): 100, ("passed", 2): 50, ("failed", 2): 50}
    rows = table.to_pylist()
    assert [row["run_ms"] for row in rows[:900]] == [100 + task % 50 for task in range(900)]
    second, = (row for row in rows if (row["task"], row["trial"]) == (960, 2))
    finished = T0 + datetime.timedelta(milliseconds=960 + 100 - 5)
    assert second == {
        "task": 960, "name": "spec/part_960.py", "trial": 2, "copy": 0, "status": "failed", "worker": second["worker"], "slot": 3,
        "started_at": finished - datetime.timedelta(milliseconds=1200), "finished_at": finished, "run_ms": 1200,
        "exit_code": 1, "signal": None, "reason": "NonZeroExit", "message": "second of 960", "passed": None, "pending": None,
        "failed": None, "cpu_ms": None, "max_rss_kib": None, "out_bytes": 4096, "output_cut": False, "stdout": True,
        "stderr": True, "result_format": None, "result_bytes": None,
    }
    assert [row["result_format"] for row in rows[-4:]] == [
        "application/json", "application/octet-stream", *2 * ["application/vnd.apache.arrow.stream"]]
    assert table.schema.field("started_at").type == pyarrow.timestamp("ms", "UTC")


def _csv(history, run):
    """The export that the history itself makes."""
    return list(csv.DictReader(io.StringIO(b"".join(history.export("team-a", run, "csv")).decode(), newline="")))


@pytest.mark.parametrize("run, rows", [("mixed", 1104), ("huge", 100_000), ("live", 1500), ("empty", 0)])
def test_a_table_has_the_rows_and_values_of_the_csv_export(history, run, rows):
    table, found = history.trials("team-a", run), _csv(history, run)
    assert table.num_rows == len(found) == rows
    for column in found[0] if found else ():
        if column.endswith("_at"):
            values = pyarrow.compute.strftime(table[column], "%Y-%m-%dT%H:%M:%SZ").to_pylist()
        else:
            values = ["" if value is None else str(value) for value in table[column].to_pylist()]
        assert values == [row[column] for row in found], column


def test_batches_are_the_table_in_parts(history, monkeypatch):
    monkeypatch.setattr("quiver.history.carrier.BLOCK", 10_000)
    batches = list(history.trial_batches("team-a", "mixed"))
    assert len(batches) > 20 and pyarrow.Table.from_batches(batches).equals(History(ADDRESS, TOKEN).trials("team-a", "mixed"))
    one = history.trial_batches("team-a", "huge")
    assert next(one).num_rows > 0
    one.close()  # and nobody reads the rest


def test_results_are_decoded_by_their_media_type(history):
    assert history.result("team-a", "mixed", 1000, 1) == {"é": [1, None]}
    assert history.result("team-a", "mixed", 1000, 1, raw=True) == '{"é":[1,null]}'.encode()
    assert history.result("team-a", "mixed", 1001, 1) == b"\x00\xff"
    assert history.result("team-a", "mixed", 1002, 1).equals(
        pyarrow.table({"city": ["Bonn", None], "sold": pyarrow.array([1, 2], pyarrow.int16())}))
    with pytest.raises(HistoryError, match="the result is not an Arrow stream: .*raw=True"):
        history.result("team-a", "mixed", 1003, 1)
    assert history.result("team-a", "mixed", 1003, 1, raw=True) == b"\1\2\3"
    with pytest.raises(NotFound):
        history.result("team-a", "mixed", 960, 1)


def test_a_result_that_is_too_large_for_its_row_is_read_from_its_pack(history):
    assert history.result("team-a", "results", 1, 1) == (100_000 - 2) * "x"
    assert history.result("team-a", "results", 0, 1) == {"rows": [1, 2, 3]}
    with pytest.raises(NotFound, match="on its way"):
        history.result("team-a", "results", 2, 1)


def test_a_trial_has_what_it_printed(history):
    assert [trial["message"] for trial in history.task_trials("team-a", "mixed", 960)] == ["first of 960", "second of 960"]
    assert history.trial("team-a", "mixed", 960, 2, copy=0)["exitCode"] == 1
    assert history.cases("team-a", "mixed", 960, 2) == []
    assert history.stdout("team-a", "mixed", 960, 2) == "printed by 960"
    assert history.stderr("team-a", "mixed", 960, 2) == "error of 2"
    assert history.stdout("team-a", "mixed", 5, 1) == ""


def test_all_that_a_trial_printed_is_read_where_its_run_keeps_it(history):
    assert history.trial("team-a", "mixed", 1001, 1)["stdoutFullBytes"] == (256 << 10) + 3
    assert b"".join(history.printed("team-a", "mixed", 1001, 1)) == bytes(256 << 10) + b"end"
    with pytest.raises(NotFound):
        list(history.printed("team-a", "mixed", 1001, 1, "stderr"))
    with pytest.raises(ValueError, match="stream: 'out' is neither stdout nor stderr"):
        list(history.printed("team-a", "mixed", 1001, 1, "out"))


def test_two_runs_are_compared_and_a_class_has_its_tests(history):
    failed = [difference["task"] for difference in history.compare("team-a", "night-5", "night-4")]
    assert failed == list(range(3, 400, 33))
    assert [found["withStatus"] for found in history.compare("team-a", "night-5", "night-4", "newly-failed")] == 13 * ["passed"]
    assert history.compare_counts("team-a", "night-5", "night-4")["newly-failed"] == 13
    tests = history.tests("team-a", "nightly", limit=9)
    assert len(tests) == 9 and tests[0]["usualMillis"] >= tests[8]["usualMillis"] and history.tests("team-a", "mixed")
    runs = history.test("team-a", "nightly", "spec/search/part_1_spec.rb")
    assert [found["run"]["uid"] for found in runs][-6:] == NIGHTS and {found["task"]["task"] for found in runs} == {1}


def test_refusals_are_told_apart(history):
    with pytest.raises(Unauthorized, match="the token is false") as raised:
        History(ADDRESS, "false").run("team-a", "mixed")
    assert (raised.value.status, raised.value.reason) == (401, "Unauthorized")
    with pytest.raises(Unauthorized, match="a token is needed"):
        list(History(ADDRESS).runs("team-a"))
    with pytest.raises(Forbidden, match="somebody may not get runs in namespace closed") as raised:
        history.run("closed", "secret")
    assert (raised.value.status, raised.value.reason) == (403, "Forbidden")
    with pytest.raises(Forbidden, match="list runs"):
        next(history.runs("closed"))
    for read in (history.trials, lambda *run: history.stdout(*run, 0, 1)):
        with pytest.raises(Forbidden, match="get the log of this run"):
            read("team-a", "silent")
    for read in (history.run, history.trials, history.failures):
        with pytest.raises(NotFound) as raised:
            read("team-a", "nowhere")
        assert (raised.value.status, raised.value.reason) == (404, "NotFound")
    with pytest.raises(HistoryError, match="status is one of passed") as raised:
        list(history.tasks("team-a", "mixed", status="good"))
    assert raised.value.status == 400


def test_the_port_for_programs_is_read_with_its_certificate(history):
    secured = History(SECURED, TOKEN, ca=CA)
    assert secured.trials("team-a", "mixed").equals(history.trials("team-a", "mixed"))
    with pytest.raises(Unavailable, match="CERTIFICATE_VERIFY_FAILED"):
        History(SECURED, TOKEN).about()


def _program(*arguments, **options):
    return subprocess.run([sys.executable, "-m", "quiver.history", *arguments], capture_output=True, **options)


def test_the_program_lists_namespaces_and_says_where_it_has_not_looked(monkeypatch, capsys):
    ended = _program("namespaces", "--address", ADDRESS, check=True, text=True)
    assert (ended.stdout, ended.stderr) == ("team-a\n", "")
    ended = _program("namespaces", "--address", ADDRESS, text=True, env={**os.environ, "QUIVER_HISTORY_TOKEN": "other"})
    assert ended.returncode == 1 and "kubectl -n NAMESPACE create token quiver-reader" in ended.stderr
    monkeypatch.setattr(History, "namespaces", lambda _: {"items": [{"name": "a\u202e"}], "more": True})
    main(["namespaces", "--address", ADDRESS])
    assert capsys.readouterr() == ("a\\u202e\n", "quiver.history: more namespaces are on record than were looked at\n")


def test_the_program_lists_runs():
    ended = _program("runs", "team-a", "--address", ADDRESS, check=True, text=True)
    rows = [line.split("\t") for line in ended.stdout.splitlines()]
    assert len(rows) == 20 and rows[0][-1] == "uid" and "\\u202e" in ended.stdout
    assert all(len(row) == 7 for row in rows) and "\u202e" not in ended.stdout
    found = _program("runs", "team-a", "--name", "specs", "--format", "ndjson", "--address", ADDRESS, check=True).stdout
    assert [json.loads(line)["uid"] for line in found.splitlines()] == NIGHTS


def test_the_program_writes_trials_in_four_formats(history, tmp_path):
    table, token = history.trials("team-a", "huge"), tmp_path / "token"
    token.write_text(TOKEN + "\n")
    environment = {name: value for name, value in os.environ.items() if name != "QUIVER_HISTORY_TOKEN"}
    for format in ("csv", "ndjson", "arrow", "parquet"):
        _program("trials", "team-a", "huge", "--format", format, "--out", str(tmp_path / format), "--token-file", str(token),
                 "--address", SECURED, "--ca", CA, check=True, env=environment)
    assert pyarrow.parquet.read_table(tmp_path / "parquet").equals(table)
    with pyarrow.memory_map(str(tmp_path / "arrow")) as file:
        assert pyarrow.ipc.open_file(file).read_all().equals(table)
    assert (tmp_path / "csv").read_bytes() == b"".join(history.export("team-a", "huge", "csv"))
    assert len((tmp_path / "ndjson").read_bytes().splitlines()) == table.num_rows
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arrow", "csv", "ndjson", "parquet", "token"]
    piped = _program("trials", "team-a", "mixed", "--format", "arrow", "--address", ADDRESS, check=True).stdout
    assert pyarrow.ipc.open_file(piped).read_all().num_rows == 1104


def test_the_program_fails_in_words():
    for run, words in (("nowhere", b"NotFound: "), ("silent", b"Forbidden: somebody may not get the log of this run")):
        ended = _program("trials", "team-a", run, "--address", ADDRESS)
        assert ended.returncode == 1 and ended.stderr.startswith(b"quiver.history: " + words) and ended.stdout == b""
