"""Texts of tenants, programs and tasks, as a terminal may have them."""

import re

_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")


def printable(text: str) -> str:
    """A tenant's text in which what moves a terminal's cursor, turns its direction or cannot be seen is an escape."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char.isprintable() and not _BLANK.match(char) else _escape(ord(char)) for char in text)


def _escape(point: int) -> str:
    return f"\\u{point:04x}" if point <= 0xFFFF else f"\\u{{{point:x}}}"
