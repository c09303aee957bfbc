"""`kubectl quiver` reads a real history (PythonHistoryIT starts it). The API server between them is a stand-in that knows no
more than its proxy to a Service and tokens of the reader; a cluster's own is in KubectlQuiverE2E."""

import http.client
import http.server
import json
import os
import pathlib
import re
import signal
import ssl
import subprocess
import sys
import threading
import time
import urllib.request
import xml.etree.ElementTree
from urllib.parse import urlsplit

import pytest

SECURED, CA = urlsplit(os.environ["QUIVER_HISTORY_SECURED"]), os.environ["QUIVER_HISTORY_CA"]
TOKEN = os.environ["QUIVER_HISTORY_TOKEN"]
KUBECTL = """#!/bin/sh
[ $1 = config ] && exec cat {folder}/config
[ -n "$FORWARDED" ] || {{ echo 'error: pods are forbidden' >&2; exit 1; }}
echo $$ > {folder}/forwarder
echo "Forwarding from 127.0.0.1:$FORWARDED -> 8080"
for stream in 1 2; do yes "Handling connection for $FORWARDED" | head -c 300000 >&$stream; done
touch {folder}/written
exec sleep 600
"""
PROXY = "/api/v1/namespaces/quiver-system/services/https:quiver-history:8443/proxy"


class ApiServer(http.server.BaseHTTPRequestHandler):
    """What it refuses is in `refused`, by the beginning of the path: status, reason and message."""

    refused = {}

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        if self._refuses():
            return
        assert self.path.endswith("/serviceaccounts/quiver-reader/token")
        self._answer(201, json.dumps({"status": {"token": TOKEN}}).encode(), "application/json")

    def do_GET(self):
        if self._refuses():
            return
        assert self.path.startswith(PROXY), self.path
        connection = http.client.HTTPSConnection(SECURED.hostname, SECURED.port, context=ssl.create_default_context(cafile=CA))
        headers = {name: self.headers[name] for name in ("Quiver-Token",) if name in self.headers}  # Authorization is its own
        connection.request("GET", self.path[len(PROXY):], headers=headers)
        answer = connection.getresponse()
        self._answer(answer.status, answer.read(), answer.headers["Content-Type"])
        connection.close()

    def _refuses(self):
        for path, (status, reason, message) in self.refused.items():
            if self.path.startswith(path):
                self._answer(status, json.dumps({"reason": reason, "message": message}).encode(), "application/json")
                return True
        return False

    def _answer(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def run(tmp_path):
    """Runs the plugin in namespace team-a. kubectl is a stand-in that knows the kubeconfig. It forwards nothing but $FORWARDED,
    the port of a history that is there: then it writes more lines than a pipe holds, as after thousands of connections."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), ApiServer)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    config = {"clusters": [{"cluster": {"server": f"http://127.0.0.1:{server.server_address[1]}"}}], "users": [],
              "contexts": [{"context": {"namespace": "team-a"}}], "current-context": "c"}
    (tmp_path / "config").write_text(json.dumps(config))
    kubectl = tmp_path / "kubectl"
    kubectl.write_text(KUBECTL.format(folder=tmp_path))
    kubectl.chmod(0o755)

    def run(*arguments, start=subprocess.run, **environment):
        options = {"capture_output": True, "timeout": 120}
        if start is not subprocess.run:  # Ctrl-C works in it, also where these tests are in the background of a shell
            options = {"stderr": subprocess.PIPE, "preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)}
        return start([sys.executable, "-m", "quiver.cli", *arguments], text=True, **options,
                     env={**os.environ, "KUBECTL": str(kubectl), **environment})
    yield run
    ApiServer.refused = {}
    server.shutdown()
    thread.join()
    server.server_close()


def test_tasks_are_listed_by_state_and_name(run):
    ended = run("tasks", "mixed", "--status", "failed", "--name", "*part_99[0-2]*", COLUMNS="80")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        "TASK   NAME               STATUS   TRIALS   TIME   REASON",
        "990    spec/part_990.py   failed   2        1.2s   NonZeroExit",
        "991    spec/part_991.py   failed   2        1.2s   NonZeroExit",
        "992    spec/part_992.py   failed   2        1.2s   NonZeroExit",
    ]
    found = json.loads(run("tasks", "tset/mixed", "-o", "json", "--limit", "0").stdout)["items"]
    assert [task["task"] for task in found] == list(range(1004))
    lines = run("tasks", "mixed", "-o", "ndjson", "--limit=2", "--slowest")
    assert len(lines.stdout.splitlines()) == 2 and "there are more than 2 such tasks" in lines.stderr


def test_failures_have_exit_codes_and_last_lines(run):
    ended = run("failures", "mixed", "--limit=2", COLUMNS="80")
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.splitlines() == [
        "mixed: 50 failed: 50 NonZeroExit",
        "✗ spec/part_950.py, trial 2: NonZeroExit, exit code 1",
        "    error of 2",
        "✗ spec/part_951.py, trial 2: NonZeroExit, exit code 1",
        "    error of 2",
    ]
    assert ended.stderr == "kubectl quiver: 48 more: --limit 0 shows all\n"
    found = json.loads(run("failures", "mixed", "-o", "json", "--name", "*_960.py").stdout)
    assert found["groups"][0]["tasks"] == 50 and [one["lastLines"] for one in found["items"]] == [["error of 2"]]


def test_one_task_alone_has_its_log(run):
    assert run("logs", "mixed", "spec/part_960.py").stdout == "printed by 960error of 2"
    assert run("logs", "mixed", "960", "--trial=1", "--stream", "stderr").stdout == "error of 1"
    whole = run("logs", "mixed", "1001", "--stream=stdout").stdout
    assert len(whole) == (256 << 10) + 3 and whole.endswith("end")
    for arguments, words in ((["spec/no.py"], "the record has no task 'spec/no.py'"), (["960", "--trial=7"], "it has 1, 2"),
                             (["1004"], "has no record yet"), (["960", "--trial=0"], "--trial is from 1")):
        ended = run("logs", "mixed", *arguments)
        assert ended.returncode == 3 and words in ended.stderr and ended.stderr.count("\n") == 1, ended.stderr


def test_results_come_in_each_format(run, tmp_path):
    lines = run("results", "mixed").stdout.splitlines()
    array = json.loads(run("results", "mixed", "-o", "json").stdout)
    assert len(lines) == 1104 and array == [json.loads(line) for line in lines]
    assert json.loads(run("results", "empty", "-o", "json").stdout) == []
    assert len(run("results", "mixed", "-o", "csv").stdout.splitlines()) == 1105
    assert run("results", "mixed", "-o", "junit", "--out", str(tmp_path / "report.xml")).returncode == 0
    suite = xml.etree.ElementTree.parse(tmp_path / "report.xml").getroot()
    assert sum(1 for _ in suite.iter("failure")) >= 50
    assert run("results", "mixed", "-o", "parquet", "--out", str(tmp_path / "p.parquet")).returncode == 0
    assert (tmp_path / "p.parquet").read_bytes()[:4] == b"PAR1"
    ended = run("results", "nowhere", "--out", str(tmp_path / "none"))
    assert ended.returncode == 3 and not (tmp_path / "none").exists() and ended.stderr.count("\n") == 1


def test_hostile_names_do_not_reach_a_terminal(run):
    for verb in ("tasks", "failures"):
        ended = run(verb, "tree", COLUMNS="80")
        assert ended.returncode == 0 and not set(ended.stdout) & {"\x1b", "\u202e", "\u200b"}, ended.stderr


def test_each_refusal_is_one_line_that_names_the_remedy(run):
    reader = "/api/v1/namespaces/team-a/serviceaccounts"
    for path, refusal, code, words in (
        (reader, (404, "NotFound", "no account"), 3, "namespace team-a has no quiver-reader"),
        (reader, (403, "Forbidden", "no token"), 3, "the rights are not enough: no token"),
        (reader, (401, "Unauthorized", "Unauthorized"), 3, "may have expired"),
        (PROXY, (404, "NotFound", 'services "quiver-history" not found'), 3, "--history names another place"),
        (PROXY, (503, "ServiceUnavailable", "no endpoints available for service"), 4, "is not ready"),
        (PROXY, (403, "Forbidden", 'cannot get resource "services/proxy"'), 3, "the chart's history.readers gives"),
        (PROXY, (401, "Unauthorized", "a token is needed"), 3, "does not accept the token"),
    ):
        ApiServer.refused = {path: refusal}
        ended = run("tasks", "mixed")
        assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (code, "", 1), ended.stderr
        assert words in ended.stderr, ended.stderr
    ApiServer.refused = {}
    assert "no NAMESPACE/SERVICE" in run("tasks", "mixed", "--history", "x").stderr
    ended = run("open", "mixed")
    assert ended.returncode == 3 and "kubectl port-forward: pods are forbidden" in ended.stderr
    ended = run("tasks", "secret", "-n", "closed")
    assert ended.returncode == 3 and "may not get runs" in ended.stderr


def _soon(found):
    deadline = time.monotonic() + 60
    while not found():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _runs(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("arguments, place, end", (
    (["open", "tset/mixed"], "/team-a/runs/mixed", signal.SIGINT), (["open"], "/team-a", signal.SIGHUP),
    (["open", "mixed"], "/team-a/runs/mixed", signal.SIGTERM)))
def test_a_browser_is_led_to_the_page_and_nothing_stays_when_it_ends(run, tmp_path, arguments, place, end):
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f"#!/bin/sh\necho \"$@\" > {seen}.new && mv {seen}.new {seen}\n")
    browser.chmod(0o755)
    plugin = run(*arguments, start=subprocess.Popen, FORWARDED=str(urlsplit(os.environ["QUIVER_HISTORY"]).port),
                 BROWSER=str(browser), TMPDIR=str(tmp_path))
    try:
        _soon(seen.exists)
        file = pathlib.Path(seen.read_text().strip().removeprefix("file://"))
        assert file.stat().st_mode & 0o777 == 0o600 and TOKEN not in seen.read_text()
        address, token, at = re.search("url=(.*)#token=(.*)&at=(.*)\"", file.read_text()).groups()
        assert at == place
        with urllib.request.urlopen(address, timeout=60) as page:
            assert b"<title>Quiver" in page.read()
        asked = urllib.request.Request(f"{address}v1/namespaces", headers={"Authorization": f"Bearer {token}"})
        with urllib.request.urlopen(asked, timeout=60) as answer:
            assert {"name": "team-a"} in json.load(answer)["items"]
        _soon((tmp_path / "written").exists)
        forwarder = int((tmp_path / "forwarder").read_text())
        assert _runs(forwarder)
    finally:
        plugin.send_signal(end)
        words = plugin.communicate(timeout=60)[1]
    assert plugin.returncode == 128 + end and words.startswith("kubectl quiver: open until Ctrl-C"), words
    assert words.count("\n") == 1 and not file.exists() and not _runs(forwarder)


def test_the_end_of_a_forwarded_port_is_told(run, tmp_path):
    plugin = run("open", "--no-browser", start=lambda *arguments, **options: subprocess.Popen(
        *arguments, stdout=subprocess.PIPE, **options), FORWARDED="1")
    assert plugin.stdout.readline().startswith("http://127.0.0.1:1/#token=")
    _soon((tmp_path / "written").exists)
    os.kill(int((tmp_path / "forwarder").read_text()), signal.SIGKILL)
    words = plugin.communicate(timeout=60)[1]
    assert plugin.returncode == 4 and "the record's pod may have ended" in words


def test_a_follower_waits_for_what_is_not_on_record_yet_and_not_for_ever(run, monkeypatch):
    from quiver.cli.errors import CliError
    from quiver.cli.verbs import logs
    from quiver.history import NotFound

    monkeypatch.setattr(logs.time, "sleep", lambda _: None)
    answers = iter([NotFound(404, "NotFound", "run not found"), CliError("the record has no task"), "here"])

    def ask():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    assert logs._soon(logs.time.monotonic() + 60, ask) == "here"
    answers = iter([NotFound(404, "NotFound", "run not found")])
    with pytest.raises(NotFound):
        logs._soon(0, ask)
