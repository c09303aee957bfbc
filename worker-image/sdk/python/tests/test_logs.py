"""What a task prints."""

import io
import sys

from quiver import logs


def test_printed_lines_go_out_at_once(monkeypatch):
    out = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(out), write_through=False))
    logs.prepare()
    print("a line")
    assert out.getvalue() == b"a line\n"


def test_other_objects_as_stdout_are_left_alone(monkeypatch):
    out = io.StringIO()
    monkeypatch.setattr(sys, "stdout", out)
    logs.prepare()
    print("a line")
    assert out.getvalue() == "a line\n"
