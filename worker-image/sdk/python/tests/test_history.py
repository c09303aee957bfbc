"""The reader of the record, against answers that a sound history does not give; operator/history runs it with a real one."""

import contextlib
import http.server
import json
import re
import subprocess
import sys
import threading

import pytest

from quiver.history import History, HistoryError, NotFound, Unauthorized, Unavailable, __main__ as program

STATUS = {"kind": "Status", "apiVersion": "v1", "status": "Failure", "reason": "Word", "message": "words", "code": 401}


@contextlib.contextmanager
def answering(status=200, body=b"", headers=(), chunks=None, end=b"0\r\n\r\n"):
    """A server with one answer. Its requests are in `seen`; chunks are a body without a length."""
    seen = []

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            seen.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            if chunks is None:
                self.send_header("Content-Length", len(body))
                self.end_headers()
                self.wfile.write(body)
                return
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for chunk in chunks:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
            self.wfile.write(end)
            self.close_connection = True

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", seen
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("status, kind", [(401, Unauthorized), (404, NotFound), (429, Unavailable), (503, Unavailable)])
def test_a_refusal_has_status_reason_and_message(status, kind):
    with answering(status, json.dumps(STATUS).encode()) as (address, _), pytest.raises(kind) as raised:
        History(address, "t").about()
    assert (raised.value.status, raised.value.reason, raised.value.message) == (status, "Word", "words")
    assert str(raised.value) == "Word: words"


@pytest.mark.parametrize("body", [b"<html>\n bad <b>gateway", b"[]", b'{"reason": 1}', b"\xff\xfe", b""])
def test_a_refusal_by_somebody_else_is_a_refusal(body):
    with answering(502, body) as (address, _), pytest.raises(HistoryError, match="^Bad Gateway: .") as raised:
        History(address, "t").about()
    assert raised.value.status == 502 and type(raised.value) is HistoryError


def test_a_redirection_is_not_followed():
    with answering(200, b"{}") as (other, taken):
        with answering(302, headers=[("Location", other)]) as (address, _), pytest.raises(HistoryError, match="Found"):
            History(address, "t").about()
    assert taken == []


@pytest.mark.parametrize("body", [b"", b"[]", b"hello", b"\xff"])
def test_what_is_no_document_is_named(body):
    with answering(200, body) as (address, _), pytest.raises(HistoryError, match="is this the address of a history?"):
        History(address, "t").run("team-a", "specs")


@pytest.mark.parametrize("end", [b"", b"5\r\n{", b"zz"])
def test_an_export_that_breaks_off_is_no_table(end):
    with answering(chunks=[b'{"task":1}\n'], end=end) as (address, _), pytest.raises(Unavailable, match="broke off|Unreach"):
        History(address, "t").trials("team-a", "specs")


def test_an_answer_that_is_shorter_than_it_says_broke_off():
    with answering(headers=[("Content-Length", "90"), ("Connection", "close")], body=b"{}") as (address, _):
        with pytest.raises(Unavailable, match="broke off"):
            History(address, "t").about()


def test_lines_are_whole_wherever_the_answer_was_cut():
    lines = [{"task": i, "name": "é" * i, "startedAt": "2026-05-28T20:26:40.001Z", "new": {"x": [i]}} for i in range(40)]
    body = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines).encode()[:-1]
    from quiver.history import columns

    for size in (1, 7, 1000, len(body)):
        found = list(columns.batches(body[at:at + size] for at in range(0, len(body), size)))
        rows = [row for batch in found for row in batch.to_pylist()]
        assert [(row["task"], row["name"]) for row in rows] == [(i, "é" * i) for i in range(40)]
        assert rows[3]["started_at"].isoformat() == "2026-05-28T20:26:40.001000+00:00" and rows[3]["run_ms"] is None
        assert {batch.schema for batch in found} == {columns.schema()}


@pytest.mark.parametrize("line", [b'{"task":"one"}\n', b"no json\n", b"[1]\n", b'{"startedAt":"yesterday"}\n', b'{"task":1'])
def test_lines_that_are_no_trials_are_refused(line):
    with answering(chunks=[line]) as (address, _), pytest.raises(HistoryError, match="the export is no list of trials"):
        History(address, "t").trials("team-a", "specs")


def test_a_run_without_trials_is_a_table_without_rows():
    with answering(chunks=[]) as (address, _):
        table = History(address, "t").trials("team-a", "specs")
    assert table.num_rows == 0 and table.schema.field("finished_at").type.tz == "UTC"


def test_tokens_are_read_for_each_request(tmp_path):
    file, tokens = tmp_path / "token", iter(["first", "second\n"])
    with answering(200, b"{}") as (address, seen):
        history = History(address, lambda: next(tokens))
        history.about(), history.about()
        for text in ("third\n", "fourth"):
            file.write_text(text)
            History(address, file).about()
        History(address).about()
        with pytest.raises(FileNotFoundError):
            History(address, tmp_path / "none").about()
    assert [headers.get("authorization") for _, headers in seen] == [
        "Bearer first", "Bearer second", "Bearer third", "Bearer fourth", None]


@pytest.mark.parametrize("token", ["", "/var/run/token", "two words", "a\r\nHost: b", "é", 5])
def test_what_is_no_token_is_refused(token):
    with pytest.raises((ValueError, TypeError), match="token"):
        History("http://127.0.0.1:1", token).about()


def test_a_service_proxy_gets_the_token_in_a_header_of_its_own():
    below = "/api/v1/namespaces/quiver-system/services/https:quiver-history:8443/proxy"
    with answering(200, b"{}") as (address, seen):
        History(address + below + "/", "t").run("team-a", "a b/ü")
    path, headers = seen[0]
    assert path == below + "/v1/namespaces/team-a/runs/a%20b%2F%C3%BC"
    assert headers["quiver-token"] == "t" and "authorization" not in headers


@pytest.mark.parametrize("address", ["127.0.0.1:8080", "ftp://h", "https://", "https://u:p@h", "https://h?x=1", ""])
def test_what_is_no_address_is_refused(address):
    with pytest.raises(ValueError, match="is no address like"):
        History(address)


def test_a_token_goes_over_no_network_in_plain_text():
    with pytest.raises(ValueError, match="http is for loopback alone"):
        History("http://history.quiver-system:8080", "t")
    for loopback in ("http://localhost:8080", "http://[::1]:8080", "http://127.9.9.9"):
        History(loopback, "t")


@pytest.mark.parametrize("name", ["", ".", ".."])
def test_a_name_stays_in_its_place(name):
    with pytest.raises(ValueError, match="is no name"):
        History("http://127.0.0.1:1", "t").run("team-a", name)


def test_without_pyarrow_documents_are_read_and_tables_named():
    script = (
        "import sys; sys.modules['pyarrow'] = None\n"
        "from quiver.history import History\n"
        "history = History(sys.argv[1], 't')\n"
        "assert history.about() == {}\n"
        "history.trials('team-a', 'specs')\n"
    )
    with answering(200, b"{}") as (address, seen):
        ended = subprocess.run([sys.executable, "-c", script, address], capture_output=True, text=True)
    assert ended.returncode == 1 and "pip install quiver-sdk[arrow]" in ended.stderr and len(seen) == 1


@pytest.fixture
def failing(monkeypatch, capsys):
    """Runs the program, which has to fail; its words."""
    def run(*arguments):
        with pytest.raises(SystemExit) as raised:
            program.main([*arguments])
        return str(raised.value.code)

    monkeypatch.setenv("QUIVER_HISTORY_TOKEN", "t")
    return run


def test_the_program_says_what_is_missing(failing, monkeypatch, tmp_path):
    assert re.search("Unreachable: .*\n.*port-forward", failing("runs", "team-a", "--address", "http://127.0.0.1:1"))
    assert "needs a file" in failing("trials", "team-a", "specs", "--format", "parquet")
    assert "no-such" in failing("runs", "team-a", "--token-file", str(tmp_path / "no-such"))
    with answering(401, json.dumps(dict(STATUS, message="\x1b[31mred")).encode()) as (address, _):
        words = failing("runs", "team-b", "--address", address)
    assert "kubectl -n team-b create token" in words and "\x1b" not in words
    monkeypatch.delenv("QUIVER_HISTORY_TOKEN")
    assert "no token" in failing("runs", "team-a")


@pytest.mark.parametrize("format", ["csv", "ndjson", "arrow", "parquet"])
def test_an_export_that_breaks_off_leaves_the_file_as_it_was(failing, tmp_path, format):
    out = tmp_path / "trials"
    out.write_text("before")
    with answering(chunks=[b'{"task":1}\n'], end=b"") as (address, _):
        assert "broke off" in failing("trials", "team-a", "specs", "--format", format, "--out", str(out), "--address", address)
    assert [path.name for path in tmp_path.iterdir()] == ["trials"] and out.read_text() == "before"
