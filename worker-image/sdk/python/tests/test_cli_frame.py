"""The frame of `kubectl quiver` where no API server is as bad as it has to be: silent, false, gone; and its parts alone."""

import ast
import contextlib
import http.server
import json
import os
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from quiver.cli import program, text, times
from quiver.cli.errors import ApiError, CliError
from quiver.cli.why import sentence

CLI = Path(program.__file__).parent


@pytest.fixture
def run(tmp_path):
    """Runs the plugin with a kubeconfig for an address; kubectl is a stand-in that prints it."""
    def run(address, *arguments, **environment):
        config = {"clusters": [{"name": "c", "cluster": {"server": address}}], "contexts": [{"name": "c", "context": {}}],
                  "users": [], "current-context": "c"}
        (tmp_path / "config").write_text(json.dumps(config))
        kubectl = tmp_path / "kubectl"
        kubectl.write_text(f"#!/bin/sh\ncat {tmp_path}/config\n")
        kubectl.chmod(0o755)
        return subprocess.run([sys.executable, "-m", "quiver.cli", *arguments], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "KUBECTL": str(kubectl), **environment})
    return run


@contextlib.contextmanager
def answering(status, body, headers=()):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_cluster_that_is_away_or_talks_nonsense_is_one_line(run):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    ended = run(f"http://127.0.0.1:{port}", "status")
    assert ended.returncode == 4 and ended.stderr == (
        f"kubectl quiver: http://127.0.0.1:{port} does not answer: Connection refused\n")
    for status, body, code, words in (
        (200, b"<html>", 4, "does not answer as an API server does"),
        (200, b"[]", 4, "does not answer as an API server does"),
        (302, b"", 3, "HTTP 302"),
        (502, b"bad \x1b[2J gateway", 4, "bad \\u001b[2J gateway"),
        (404, b'{"reason": "NotFound", "message": "the server could not find the requested resource"}', 3, "is Quiver installed"),
    ):
        with answering(status, body, [("Location", "http://127.0.0.1:1/")]) as address:
            ended = run(address, "status")
            assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (code, "", 1), ended.stderr
            assert words in ended.stderr


def test_a_cluster_that_says_nothing_is_not_waited_for_without_end(monkeypatch):
    from quiver.cli.api import Api

    class Caller:
        server, base, headers, tls, proxy, host = "http://silent", "", {}, None, None, "127.0.0.1"

    with socket.create_server(("127.0.0.1", 0)) as silent:
        Caller.port = silent.getsockname()[1]
        with pytest.raises(CliError, match="does not answer: no byte in time") as raised:
            Api(Caller, timeout=0.2).get("/version")
    assert raised.value.code == 4


def test_arguments_that_make_no_sense_are_refused(run):
    for arguments, words in ((["no-such"], "there is no verb 'no-such'"), (["status", "a", "b"], "unrecognized arguments: b"),
                             (["status", "a", "-A"], "neither -A nor -l"), (["status", "-w"], "-w watches one object"),
                             (["status", "-o", "yaml"], "invalid choice")):
        ended = run("http://127.0.0.1:1", *arguments)
        assert ended.returncode == 3 and words in ended.stderr and ended.stderr.count("\n") == 1, ended.stderr
    assert run("http://127.0.0.1:1").returncode == 0
    for address in ("http://cluster.example.com", "ftp://x", ""):
        assert "the kubeconfig's server" in run(address, "status").stderr
    assert "cannot be started" in run("http://127.0.0.1:1", "status", KUBECTL="/no/such").stderr


def test_each_verb_has_help(run):
    for verb in program.VERBS:
        ended = run("http://127.0.0.1:1", verb, "--help")
        assert ended.returncode == 0 and f"kubectl quiver {verb}" in ended.stdout and "--context" in ended.stdout


def test_only_the_standard_library_is_imported():
    local = {"quiver"}
    optional = {"pyarrow"}  # of tables, where somebody asks for them
    names = getattr(sys, "stdlib_module_names", None)
    if names is None:
        pytest.skip("missing: a Python that lists its modules, 3.10 or newer")
    sources = [*CLI.rglob("*.py"), *(CLI.parent / "history").rglob("*.py"), CLI.parent / "printable.py"]
    for source in sources:
        for node in ast.walk(ast.parse(source.read_text())):
            found = [alias.name for alias in node.names] if isinstance(node, ast.Import) else (
                [node.module] if isinstance(node, ast.ImportFrom) else [])
            assert {name.split(".")[0] for name in found} <= local | optional | names, source


def test_the_one_file_runs_without_the_package(plugin):
    ended = subprocess.run([sys.executable, "-I", "-S", plugin, "version", "--client"], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["plugin", (CLI.parents[2] / "pyproject.toml").read_text().split('version = "')[1].split('"')[0]]


def test_flags_before_and_behind_a_verb_are_the_same():
    assert program.split(["-n", "team-a", "status", "x"]) == ("status", ["-n", "team-a", "x"])
    assert program.split(["--context=c", "status"]) == ("status", ["--context=c"])
    assert program.split(["--help"]) == (None, ["--help"])


def test_tables_fit_and_wide_letters_count_twice(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "30")
    text.table(("NAME", "STATE"), [("漢字" * 10, "x" * 40), ("a\u200b\tb", None)])
    lines = capsys.readouterr().out.splitlines()
    assert all(text.columns(line) <= 30 for line in lines) and lines[2] == "a\\u200b\\u0009b"
    text.wrapped("one two three four five six seven eight", "  why  ")
    assert capsys.readouterr().out == "  why  one two three four five\n       six seven eight\n"
    text.wrapped("x" * 60, "  ")
    assert [len(line) for line in capsys.readouterr().out.splitlines()] == [30, 30, 6]


def test_spans_and_durations():
    assert [times.span(s) for s in (0, 59, 61, 400, 3700, 40_000, 100_000, -5)] == [
        "0s", "59s", "1m1s", "6m40s", "1h1m", "11h", "1d3h", "0s"]
    assert [times.duration(t) for t in ("90", "90s", "15m", "1h30m", "2d")] == [90, 90, 900, 5400, 172_800]
    for false in ("", "soon", "1w", "m", "-5", "1.5h"):
        with pytest.raises(CliError):
            times.duration(false)
    assert times.parsed("yesterday") is None and times.parsed("2026-13-01T00:00:00Z") is None and times.parsed(None) is None


def test_a_sentence_says_nothing_twice():
    assert sentence([]) == ""
    assert sentence([{"of": "tset/a", "reason": "WaitingForWorkers", "message": "Pool p: no node."},
                     {"of": "wpool/p", "reason": "PodsUnschedulable", "message": "no node."}]) == (
        "tset/a is WaitingForWorkers (Pool p: no node).")


def test_a_server_that_is_busy_is_no_refusal():
    assert [ApiError(status, "", "").code for status in (403, 404, 409, 429, 500, 503)] == [3, 3, 3, 4, 4, 4]


def test_a_server_without_a_turn_is_asked_again_after_the_wait_that_it_names(monkeypatch):
    from quiver.cli import api

    waits = []
    monkeypatch.setattr(api.time, "sleep", waits.append)

    class Caller:
        base, headers, tls, proxy, host = "", {}, None, None, "127.0.0.1"

    for wait, asked in (("3", [3, 3, 3, 3]), ("999", [5, 5, 5, 5]), ("soon", [])):
        waits.clear()
        with answering(429, b"busy", [("Retry-After", wait)]) as address:
            Caller.server, Caller.port = address, int(address.rsplit(":", 1)[1])
            with pytest.raises(ApiError, match="busy"):
                api.Api(Caller).get("/version")
        assert waits == asked
