"""libquiver by ctypes: the process's slot. What each function promises stands in include/quiver/handler.h."""

import contextlib
import ctypes
import os
import sys
import types

from quiver.errors import ProtocolError

COMMAND, HANDLER = 1, 2
TAKEN, STOPPED = 1, 2  # what take returns, beside 0: nothing yet
EVENT_CANCEL, EVENT_STOP = 17, 18
MOST_TASKS = 64  # of one dispatch
LOOK_UP_MILLIS = 1000  # how long a signal handler written in Python waits at most for the work thread


class Reason:
    """Why a trial did not pass, as numbered in the executor's record."""

    OUTPUT_TOO_LARGE = 11
    CANCELLED = 15
    EXCEPTION = 17
    DO_NOT_RETRY = 18
    HANDLER_NOT_FOUND = 19
    INPUT_INVALID = 21
    BLOCKED = 22


class Record(ctypes.Structure):
    """struct qv_task."""

    _fields_ = [
        ("bytes", ctypes.c_uint32),
        ("trial", ctypes.c_uint32),
        ("allowed", ctypes.c_uint32),
        ("format", ctypes.c_uint32),
        ("locator", ctypes.c_uint32),
        ("environment_count", ctypes.c_uint32),
        ("generation", ctypes.c_uint64),
        ("deadline", ctypes.c_uint64),
        ("input", ctypes.c_void_p),
        ("input_length", ctypes.c_uint64),
        ("output_limit", ctypes.c_uint64),
        ("handler", ctypes.c_char_p),
        ("name", ctypes.c_char_p),
        ("environment", ctypes.c_void_p),
        ("environment_bytes", ctypes.c_uint64),
        ("id", ctypes.c_void_p),
        ("input_offset", ctypes.c_uint64),
        ("kept_bytes", ctypes.c_uint64),
    ]

    def input_bytes(self):
        """A copy of the input."""
        return ctypes.string_at(self.input, self.input_length)

    def variables(self):
        """A copy of the environment."""
        size = self.environment_bytes
        return ctypes.string_at(self.environment, size) if size else b""


class _PyBuffer(ctypes.Structure):
    """Py_buffer: the only way to the address of memory that may not be written to."""

    _fields_ = [
        ("buf", ctypes.c_void_p),
        ("obj", ctypes.c_void_p),
        ("len", ctypes.c_ssize_t),
        ("rest", ctypes.c_void_p * 16),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.argtypes = [ctypes.py_object, ctypes.POINTER(_PyBuffer), ctypes.c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.argtypes = [ctypes.POINTER(_PyBuffer)]
_release_buffer.restype = None

_pointer, _u32, _u64, _i32 = ctypes.c_void_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_int32
_BRIEF = {  # they never wait: giving the GIL away would cost more than they do
    "qv_task_cancelled",
    "qv_task_progress",
    "qv_task_extend",
    "qv_task_deadline",
    "qv_task_format",
    "qv_task_complete",
    "qv_task_let_go",
    "qv_batch_left",
    "qv_batch_whole",
    "qv_batch_task",
}
_FUNCTIONS = {
    "qv_handler_open": (_pointer, [ctypes.c_char_p, _u32]),
    "qv_handler_close": (None, [_pointer]),
    "qv_handler_words": (ctypes.c_char_p, [_pointer]),
    "qv_handler_slot": (_u32, [_pointer]),
    "qv_handler_announce": (_i32, [_pointer, ctypes.c_char_p]),
    "qv_handler_take": (_i32, [_pointer, ctypes.POINTER(Record), _i32]),
    "qv_handler_event": (_i32, [_pointer, ctypes.POINTER(ctypes.c_uint64)]),
    "qv_handler_input_path": (ctypes.c_char_p, [_pointer]),
    "qv_handler_packet": (_i32, [_pointer, _u32, ctypes.c_char_p]),
    "qv_task_cancelled": (_u32, [_pointer]),
    "qv_task_progress": (None, [_pointer, _u64, _u64]),
    "qv_task_extend": (None, [_pointer, _u64]),
    "qv_task_deadline": (_u64, [_pointer]),
    "qv_task_write": (_i32, [_pointer, _pointer, _u64]),
    "qv_task_rewrite": (_i32, [_pointer]),
    "qv_task_format": (None, [_pointer, _u32, _u32]),
    "qv_task_complete": (_i32, [_pointer]),
    "qv_task_fail": (_i32, [_pointer, _u32, ctypes.c_char_p, ctypes.c_char_p, _u64]),
    "qv_task_settle": (_i32, [_pointer]),
    "qv_task_ready": (_i32, [_pointer]),
    "qv_task_replace": (_i32, [_pointer]),
    "qv_task_release": (_i32, [_pointer]),
}
_BATCHES = {  # of a worker image that dispatches several tasks at once
    "qv_handler_batches": (_i32, [_pointer]),
    "qv_batch_left": (_u32, [_pointer]),
    "qv_batch_whole": (_i32, [_pointer]),
    "qv_batch_task": (_i32, [_pointer, _u32, ctypes.POINTER(Record)]),
    "qv_batch_pass": (_i32, [_pointer, _u32, _pointer, _pointer, _u32]),
    "qv_batch_fail": (_i32, [_pointer, _u32, ctypes.c_char_p, ctypes.c_char_p, _u64]),
}

_SUCCESSION = {  # of a worker image that puts the next task into a slot that has just passed one
    "qv_task_let_go": (None, [_pointer]),
}


def _load():
    path = os.environ.get("QUIVER_LIB")
    if not path:
        raise ProtocolError("QUIVER_LIB is not set: handlers are started by a worker pool, as its handler.command")
    waiting, brief = ctypes.CDLL(path), ctypes.PyDLL(path)
    batches = hasattr(waiting, "qv_handler_batches")
    known = {**_FUNCTIONS, **(_BATCHES if batches else {})}
    if hasattr(waiting, "qv_task_let_go"):
        known |= _SUCCESSION
    functions = types.SimpleNamespace(batches=batches, qv_task_let_go=None)
    for name, (result, arguments) in known.items():
        function = getattr(brief if name in _BRIEF else waiting, name)
        function.restype, function.argtypes = result, arguments
        setattr(functions, name, function)
    # Of a task whose output is kept it waits, for the runner has to have read it all.
    functions.complete_kept = waiting.qv_task_complete
    functions.complete_kept.restype, functions.complete_kept.argtypes = _FUNCTIONS["qv_task_complete"]
    return functions


class Slot:
    """The slot that the environment names. The work thread calls everything but event()."""

    def __init__(self):
        self._library = library = _load()
        words = ctypes.create_string_buffer(512)
        self._handle = library.qv_handler_open(words, len(words))
        if not self._handle:
            raise ProtocolError(words.value.decode(errors="replace"))
        self._record = Record(bytes=ctypes.sizeof(Record))
        self._taken = ctypes.byref(self._record)
        self._input = None
        self._lengths = (ctypes.c_uint64 * MOST_TASKS)()
        self.number = library.qv_handler_slot(self._handle)
        self.input_path = os.fsdecode(library.qv_handler_input_path(self._handle))

    def close(self):
        """Gives everything back. The watch thread must have ended."""
        self._library.qv_handler_close(self._handle)

    def announce(self, names):
        """Says what is served, and that several tasks may come at once."""
        if self._library.batches:
            self._check(self._library.qv_handler_batches(self._handle))
        self._check(self._library.qv_handler_announce(self._handle, "\n".join(names).encode()))

    def take(self):
        """The next task's record, valid until the slot is released; None when the worker ends."""
        while True:
            taken = self._library.qv_handler_take(self._handle, self._taken, LOOK_UP_MILLIS)
            if taken == TAKEN:
                return self._record
            if taken == STOPPED:
                return None
            self._check(taken)

    def event(self):
        """Waits for what the runner says: (EVENT_CANCEL, generation) or (EVENT_STOP, 0)."""
        generation = ctypes.c_uint64()
        return self._library.qv_handler_event(self._handle, ctypes.byref(generation)), generation.value

    def cancelled(self):
        """0, or the reason why the running task should stop."""
        return self._library.qv_task_cancelled(self._handle)

    def progress(self, done, total):
        self._library.qv_task_progress(self._handle, done, total)

    def extend(self, deadline):
        self._library.qv_task_extend(self._handle, deadline)

    def deadline(self):
        return self._library.qv_task_deadline(self._handle)

    def packet(self):
        """The packet's 256 bytes, or None in a moment without a state."""
        to = ctypes.create_string_buffer(256)
        return to.raw if self._library.qv_handler_packet(self._handle, self.number, to) == 0 else None

    def write(self, data):
        """Appends all of a bytes-like object to the output; returns its length."""
        if isinstance(data, bytes):
            self._check(self._library.qv_task_write(self._handle, data, len(data)))
            return len(data)
        buffer = _PyBuffer()
        _get_buffer(data, buffer, 0)
        try:
            self._check(self._library.qv_task_write(self._handle, buffer.buf, buffer.len))
            return buffer.len
        finally:
            _release_buffer(buffer)

    def rewrite(self):
        """Forgets what was written."""
        self._check(self._library.qv_task_rewrite(self._handle))

    def let_go(self):
        """Nothing of the running task's input is looked at any more: the next one may be put into the slot when it passed."""
        if self._library.qv_task_let_go:
            self._library.qv_task_let_go(self._handle)

    def complete(self, format, located):
        if format or located:  # bytes is what nothing said means
            self._library.qv_task_format(self._handle, format, located)
        kept = self._flush()
        self._check((self._library.complete_kept if kept else self._library.qv_task_complete)(self._handle))

    def _flush(self):
        """Whether all that the running task prints is kept; then it is in the pipes."""
        if not self._record.kept_bytes:
            return False
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(AttributeError, OSError, ValueError):  # none, or closed by the user's code
                stream.flush()
        return True

    def passed(self, format, data, lengths=None):
        """The running task passed, and these bytes are its output; or so many tasks, whose outputs have these lengths."""
        if not self._library.batches:
            self.write(data)
            self.complete(format, False)
            return
        self._flush()
        count = 1 if lengths is None else len(lengths)
        self._lengths[:count] = lengths or (len(data),)
        self._check(self._library.qv_batch_pass(self._handle, count, self._lengths, data, format))

    def left(self):
        """How many tasks of this dispatch have no outcome yet; the running one is the first of them."""
        return self._library.qv_batch_left(self._handle) if self._library.batches else 1

    def whole(self):
        """From now on one call takes all that are left. False when that cannot be."""
        return self._library.qv_batch_whole(self._handle) == 0

    def limit(self):
        """How many bytes the output of the running task may have."""
        return self.room(self._record)

    def room(self, record):
        """How many bytes the next output may have."""
        next = Record(bytes=ctypes.sizeof(Record))
        described = self._library.batches and self._library.qv_batch_task(self._handle, 0, ctypes.byref(next)) == 0
        return next.output_limit if described else record.output_limit

    def input(self, record):
        """The slot's input as this process has it mapped all the time: nothing but copies of it may be given away."""
        if self._input is None:
            size = os.stat(self.input_path).st_size
            memory = (ctypes.c_char * size).from_address(record.input - record.input_offset)
            self._input = memoryview(memory).cast("B")
        return self._input

    def fail(self, reason, text, traceback, retry_after_ms):
        self._fail(self._library.qv_task_fail, reason, text, traceback, retry_after_ms)

    def fail_all(self, reason, text, traceback, retry_after_ms):
        """The call failed, whose tasks have no outcome yet."""
        fail = self._library.qv_batch_fail if self._library.batches else self._library.qv_task_fail
        self._fail(fail, reason, text, traceback, retry_after_ms)

    def _fail(self, fail, reason, text, traceback, retry_after_ms):
        self._flush()
        traceback = None if traceback is None else _text(traceback)
        self._check(fail(self._handle, reason, _text(text), traceback, retry_after_ms))

    def release(self):
        """Waits until the result is settled; then the slot is free."""
        self._check(self._library.qv_task_release(self._handle))

    def replace(self):
        """Waits until the result is settled; then this process must end."""
        self._check(self._library.qv_task_settle(self._handle))
        self._check(self._library.qv_task_replace(self._handle))

    def _check(self, result):
        if result < 0:
            raise ProtocolError(self._library.qv_handler_words(self._handle).decode(errors="replace"))


def _text(text):
    return text.encode(errors="replace").replace(b"\0", b" ")
