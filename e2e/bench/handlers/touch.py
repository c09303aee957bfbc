"""The other side of the `handover` bench in Python.

touch.py handler       as a handler of the slots: `noop` for bytes, `rows` and `sum` for tables
touch.py socket PATH   connects; for each u64 length and as many bytes, one byte back
touch.py pipe          the same over stdin and stdout
touch.py table PATH    connects, reads one Arrow stream, answers with what `sum` does, as a line
"""

import json
import os
import socket
import sys


def memory():
    """The largest resident size so far in KiB, and what of today's belongs to this process alone."""
    status = dict(line.split(":", 1) for line in open("/proc/self/status"))
    private, peak = (int(status[key].split()[0]) for key in ("RssAnon", "VmHWM"))
    return {"peakKiB": peak, "privateKiB": private}


def summed(table):
    import pyarrow.compute

    return {"sum": pyarrow.compute.sum(table["x"]).as_py(), **memory()}


def handler():
    import quiver

    quiver.handler("noop")(lambda data: None)
    quiver.handler("rows")(lambda table: None)
    quiver.handler("sum")(summed)
    quiver.handler("sum-located")(lambda where: summed(where.table()))
    quiver.handler("memory")(lambda _: memory())
    quiver.serve()


def take(read, view):
    while len(view):
        count = read(view)
        if not count:
            sys.exit(0)
        view = view[count:]


def answer(read, write):
    head, payload = bytearray(8), bytearray()
    while True:
        take(read, memoryview(head))
        length = int.from_bytes(head, "little")
        if length > len(payload):
            payload = bytearray(length)
        take(read, memoryview(payload)[:length])
        write(b"\0")


def dial(path):
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    return peer


def table(path):
    import pyarrow

    peer = dial(path)
    summed(pyarrow.table({"x": [1]}))  # imports, which a handler has behind it, too
    peer.sendall(json.dumps(memory()).encode() + b"\n")
    stream = pyarrow.ipc.open_stream(peer.makefile("rb"))
    peer.sendall(json.dumps(summed(stream.read_all())).encode() + b"\n")


def main(mode, *arguments):
    if mode == "handler":
        handler()
    elif mode == "socket":
        peer = dial(*arguments)
        answer(peer.recv_into, peer.sendall)
    elif mode == "table":
        table(*arguments)
    else:
        source = os.fdopen(0, "rb", buffering=0)
        answer(source.readinto, lambda data: os.write(1, data))


main(*sys.argv[1:])
