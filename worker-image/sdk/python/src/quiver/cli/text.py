"""What is printed: cleaned of what a terminal would obey, and as wide as a terminal is."""

import json
import os
import sys

from quiver.printable import printable

WIDTH = 80
_GAP = 3


def width():
    """Columns of the terminal, or of $COLUMNS; None where lines are read by a program, and nothing is cut."""
    said = os.environ.get("COLUMNS", "")
    if said.isdigit() and int(said) > 0:
        return max(int(said), 20)
    if not sys.stdout.isatty():
        return None
    try:
        return max(os.get_terminal_size(sys.stdout.fileno()).columns or WIDTH, 20)
    except OSError:
        return WIDTH


def line(text="", limit=0):
    """Prints one line, cleaned, and cut where a terminal would break it."""
    limit = limit or width()
    print(cut(printable(str(text)), limit) if limit else printable(str(text)))


def wrapped(text, first=""):
    """Prints cleaned text behind `first`, broken between words where the line is full; further lines stand below the text."""
    limit, indent = width(), first
    rest = printable(str(text))
    while limit and columns(indent + rest) > limit:
        room = len(cut(rest, limit - len(indent), ""))
        at = rest.rfind(" ", 1, room + 1)
        at = max(1, room) if at <= 0 else at
        print(indent + rest[:at].rstrip())
        rest, indent = rest[at:].lstrip(), " " * len(first)
    print(indent + rest)


def block(text, indent="    "):
    """Prints lines of a program, each cleaned and indented."""
    for one in str(text).splitlines():
        line(indent + one)


def document(value):
    """Prints JSON; what is not ASCII is an escape."""
    json.dump(value, sys.stdout, indent=2)
    print()


def table(header, rows):
    """Prints rows under a header. The last column is cut where the line is full, then the widest of the others."""
    limit = width()
    cells = [[printable("" if cell is None else str(cell)) for cell in row] for row in (header, *rows)]
    wide = [max(columns(row[at]) for row in cells) for at in range(len(header))]
    if limit:
        _narrow(wide, limit, [columns(cell) for cell in cells[0]])
    for row in cells:
        padded = [cut(cell, wide[at]) for at, cell in enumerate(row)]
        whole = (" " * _GAP).join(cell + " " * (wide[at] - columns(cell)) for at, cell in enumerate(padded)).rstrip()
        print(cut(whole, limit) if limit else whole)


def _narrow(wide, limit, least):
    excess = sum(wide) + _GAP * (len(wide) - 1) - limit
    order = [len(wide) - 1, *sorted(range(len(wide) - 1), key=lambda at: -wide[at])]
    for at in order:
        if excess <= 0:
            return
        taken = min(excess, max(0, wide[at] - max(least[at], 8)))
        wide[at] -= taken
        excess -= taken


def cut(text, limit, mark="…"):
    """The text in so many columns at most; one that is longer ends with the mark."""
    if columns(text) <= limit:
        return text
    kept, used = [], columns(mark)
    for char in text:
        used += columns(char)
        if used > limit:
            break
        kept.append(char)
    return "".join(kept) + mark


def columns(text):
    """How many columns a terminal takes for a text: wide letters take two, those that combine none."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)


def note(text):
    """Prints a line for the person beside what is asked for."""
    sys.stdout.flush()
    print(f"kubectl quiver: {printable(str(text))}", file=sys.stderr, flush=True)
