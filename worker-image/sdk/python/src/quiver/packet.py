"""The snapshot of a slot as a packet of 256 bytes; the codecs in Java and C share its golden bytes."""

import enum
import struct
from dataclasses import dataclass

BYTES = 256

_LAYOUT = struct.Struct(
    "<"
    "32s32s"  # worker, SHA-256 of the task's id
    "B3xI"  # status: state, generation
    "II"  # retry: trial, allowed
    "QQ"  # time: started, elapsed
    "IIQIiII128s"  # payload: kind, format, length, reason, exit, signal, name
)
assert _LAYOUT.size == BYTES


class State(enum.IntEnum):
    """The eight states of a slot."""

    WAITING = 1
    PENDING = 2
    RUNNING = 3
    CANCELLED = 4
    RETRY = 5
    FAILED = 6
    COMPLETE = 7
    CLEANING = 8


@dataclass(frozen=True)
class Packet:
    """The snapshot of a slot. Times are monotonic nanoseconds of the node."""

    worker: str  #: who runs it, at most 32 bytes of UTF-8
    task_hash: str  #: SHA-256 of the task's id, 64 hexadecimal digits
    state: State
    generation: int  #: the low half of the slot's generation
    trial: int  #: from 1; 0 if the slot was never used
    allowed: int  #: trials in all, 0 if unknown
    started_ns: int  #: 0 if it has not started
    elapsed_ns: int  #: run time so far, or in all
    kind: int  #: 1 command, 2 handler, 0 if the slot was never used
    format: int  #: of the payload
    length: int  #: of the payload, in bytes
    reason: int  #: why the trial failed, 0 if it did not
    exit_code: int  #: -1 if it did not end by itself
    signal: int  #: that ended it, or 0
    name: str  #: of the task, at most 128 bytes of UTF-8

    def encode(self) -> bytes:
        """The packet's 256 bytes. Texts are cut at a character to what fits."""
        name = _cut(self.name, 128)
        return _LAYOUT.pack(
            _cut(self.worker, 32),
            bytes.fromhex(self.task_hash),
            self.state,
            self.generation,
            self.trial,
            self.allowed,
            self.started_ns,
            self.elapsed_ns,
            self.kind,
            self.format,
            self.length,
            self.reason,
            self.exit_code,
            self.signal,
            len(name),
            name,
        )

    @staticmethod
    def decode(data) -> "Packet":
        """The packet of these bytes. Raises ValueError when they are not 256 bytes of a packet."""
        if len(data) != BYTES:
            raise ValueError(f"a packet has {BYTES} bytes, these are {len(data)}")
        worker, task, state, *numbers, name_length, name = _LAYOUT.unpack(data)
        if name_length > len(name):
            raise ValueError(f"the name's length is {name_length}: at most {len(name)} are allowed")
        return Packet(
            worker.rstrip(b"\0").decode(errors="replace"),
            task.hex(),
            State(state),
            *numbers,
            name[:name_length].decode(errors="replace"),
        )


def _cut(text: str, most: int) -> bytes:
    data = text.encode()
    if len(data) <= most:
        return data
    while data[most] & 0xC0 == 0x80:
        most -= 1
    return data[:most]
