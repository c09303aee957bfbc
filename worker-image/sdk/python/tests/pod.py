"""A supervisor and a runner for one handler process, played by the test: the two records, the files, the turn."""

import ctypes
import mmap
import os
import select
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PATIENCE = 180.0  # seconds; ends a test that hangs, says nothing about how quick anything is
HEADER, STRIDE, TAIL = 4096, 256, 16 * 1024
RUN, CANCEL, FAIL, ACKNOWLEDGE = 1, 2, 3, 4
READY, RUNNING, COMPLETE, RETRY, CLEANING = 1, 2, 3, 4, 5
HELLO, COMMAND, REPLACE, GO, CANCEL_NOW, STOP = 1, 2, 3, 16, 17, 18
EXCEPTION, DO_NOT_RETRY, NOT_FOUND, DIED, INPUT_INVALID, BLOCKED, TOO_LARGE = 17, 18, 19, 20, 21, 22, 11

BATCH, WHOLE = 2, 0x10000  # a flag of the slot; a bit of `done`
MOST_TASKS = 64

_EXEC_SLOT = struct.Struct("<QII QQQ IIiI QQ QQ QQ QQ II 128s")
_ENTRY = struct.Struct("<32sQQQIIIIII128s")
_OUTCOME = struct.Struct("<QQQQIIII128s")
_libc = ctypes.CDLL(None)


class Result:
    """The executor's record, copied."""

    def __init__(self, record):
        (word, _, done, self.started, self.ended, self.out_length, self.format, self.reason, self.exit, self.signal,
         self.cpu_ns, self.max_rss, self.stdout, self.stderr, self.progress, self.total, self.wanted_deadline,
         self.retry_after_ms, self.pid, length, message) = _EXEC_SLOT.unpack(record)
        self.generation, self.stage = word >> 8, word & 0xFF
        self.done, self.whole = done & 0xFFFF, bool(done & WHOLE)
        self.message = message[:length].decode()


class Outcome:
    """What was said of one task of a batch, with its output."""

    def __init__(self, record, output):
        (self.ended, self.out_offset, self.out_length, self.retry_after_ms, self.format, self.reason, length, _,
         message) = _OUTCOME.unpack(record)
        self.message = message[:length].decode()
        self.output = output[self.out_offset : self.out_offset + self.out_length]


class Pod:
    """One slot of a worker pod whose handler runs `source`, a Python module's text."""

    def __init__(self, source, in_capacity=1 << 20, out_capacity=1 << 20, env=None, python=sys.executable, major=1):
        self.root = Path(tempfile.mkdtemp(prefix="quiver-sdk-", dir="/dev/shm"))
        self.input_dir, self.output_dir = self.root / "in", self.root / "out"
        self.input_dir.mkdir()
        self.output_dir.mkdir()
        self.in_capacity, self.out_capacity = in_capacity, out_capacity
        self.generation = 0
        self.control = self._map(self._control(major), HEADER + STRIDE)
        self.exec_fd, self.exec = self._exec()
        self._file(self.input_dir / "task-0.in").truncate(in_capacity)
        self._file(self.output_dir / "task-0.out").close()
        for name in ("stdout", "stderr"):
            self._file(self.output_dir / f"task-0.{name}").truncate(TAIL)
        self.turn, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.turn.settimeout(PATIENCE)
        (self.root / "tasks.py").write_text(source)
        self.stderr_file = open(self.root / "stderr", "wb")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(self.root), *filter(None, sys.path)]),
            "QUIVER_SLOT": "0",
            "QUIVER_IN": str(self.input_dir),
            "QUIVER_OUT": str(self.output_dir),
            "QUIVER_EXEC_FD": str(self.exec_fd),
            "QUIVER_TURN_FD": str(theirs.fileno()),
            "QUIVER_MINOR": "2",
            **(env or {}),
        }
        self.process = subprocess.Popen(
            [python, "-m", "quiver", "tasks"],
            env=environment,
            pass_fds=(self.exec_fd, theirs.fileno()),
            stderr=self.stderr_file,
        )
        theirs.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.turn.close()
        self.process.kill()
        self.process.wait()
        self.stderr_file.close()
        os.close(self.exec_fd)
        shutil.rmtree(self.root)

    # ---- the runner ----

    def names(self):
        """What HELLO announces."""
        kind, version, text = self.message()
        assert (kind, version & 0xFFFF) == (HELLO, 1), (kind, version, text)
        self.minor = version >> 16
        return text.split("\n")

    def go(self):
        """Takes HELLO in, gives the turn away."""
        names = self.names()
        self.send(GO, 0)
        return names

    def message(self):
        """The handler's next message: type, generation, text."""
        data = self.turn.recv(16 * 1024)
        if not data:
            raise AssertionError(f"the handler has gone: {self.stderr()}")
        kind, length, generation = struct.unpack_from("<IIQ", data)
        assert len(data) == 16 + length
        return kind, generation, data[16:].decode()

    def send(self, kind, generation):
        self.turn.send(struct.pack("<IIQ", kind, 0, generation))

    def ended(self):
        """Awaits the end of the process; its exit code."""
        return self.process.wait(PATIENCE)

    # ---- the supervisor ----

    def dispatch(self, handler, payload=b"", format=0, located=False, env=None, kind=2, deadline=0, trial=1,
                  allowed=3, out_limit=None, name="set/task-0"):
        """Puts a task into the slot; returns its generation."""
        record = _command(handler, env)
        with open(self.input_dir / "task-0.in", "r+b") as file:
            file.write(payload)
            file.seek((len(payload) + 7) & ~7)
            file.write(record)
        return self._run(trial, allowed, deadline, kind, format, len(payload), out_limit, name, int(located))

    def dispatch_batch(self, tasks, limit=0, out_limit=None):
        """Puts several tasks into the slot, each as what dispatch takes of it; `limit` is each one's, in ns."""
        entries, bodies = [], []
        at = 16 + len(tasks) * _ENTRY.size
        for i, task in enumerate(tasks):
            task = {"payload": b"", "format": 0, "located": False, "env": None, "name": f"set/task-{i}", **task}
            payload, name = task["payload"], task["name"].encode()
            record = at + ((len(payload) + 7) & ~7)
            body = _aligned(payload) + _aligned(_command(task["handler"], task["env"]))
            entries.append(_ENTRY.pack(bytes([i]) * 32, at, len(payload), record, task.get("trial", 1), 3, task["format"],
                                       int(task["located"]), len(name), 0, name))
            bodies.append(body)
            at += len(body)
        with open(self.input_dir / "task-0.in", "r+b") as file:
            file.write(struct.pack("<4sIQ", b"QBAT", len(tasks), limit) + b"".join(entries) + b"".join(bodies))
        deadline = time.monotonic_ns() + limit if limit else 0
        return self._run(1, 3, deadline, 2, tasks[0].get("format", 0), at, out_limit, "set/task-0", BATCH)

    def run_batch(self, tasks, **more):
        """Several tasks from the dispatch to their result, which is not yet acknowledged, and their outcomes."""
        self.dispatch_batch(tasks, **more)
        result = self.result()
        return result, self.outcomes(result)

    def outcomes(self, result):
        """About the tasks that have one."""
        output = (self.output_dir / "task-0.out").read_bytes()
        begin = HEADER + STRIDE
        return [Outcome(self.exec[begin + i * _OUTCOME.size : begin + (i + 1) * _OUTCOME.size], output)
                for i in range(result.done)]

    def _run(self, trial, allowed, deadline, kind, format, length, out_limit, name, flags):
        encoded = name.encode()
        struct.pack_into("<32s32s", self.control, HEADER, b"worker", bytes(range(32)))
        struct.pack_into(
            "<IIQQIIQQII128s", self.control, HEADER + 72, trial, allowed, time.monotonic_ns(), deadline, kind, format,
            length, self.out_capacity if out_limit is None else out_limit, len(encoded), flags, encoded,
        )
        self.generation += 1
        self._store(RUN)
        return self.generation

    def run(self, *arguments, **more):
        """A task from the dispatch to its result, which is not yet acknowledged."""
        self.dispatch(*arguments, **more)
        return self.result()

    def result(self):
        return self.await_result(lambda r: r.generation == self.generation and r.stage in (COMPLETE, RETRY))

    def running(self):
        return self.await_result(lambda r: r.generation == self.generation and r.stage == RUNNING)

    def acknowledge(self):
        """Acknowledges and awaits that the slot is free again."""
        self._store(ACKNOWLEDGE)
        return self.ready()

    def ready(self):
        return self.await_result(lambda r: r.generation == self.generation and r.stage == READY)

    def cancel(self):
        """Calls the task off, as the runner learns of it and passes it on."""
        self._store(CANCEL)
        self.send(CANCEL_NOW, self.generation)

    def called_off(self):
        """Awaits that the slot is free; does what the runner does for a task that was never begun."""
        def free_or_asked(result):
            if select.select([self.turn], [], [], 0)[0]:
                assert self.message() == (COMMAND, self.generation, "")
                struct.pack_into("<Q", self.exec, HEADER, self.generation << 8 | READY)
                self.send(GO, 0)
                return True
            return result.generation == self.generation and result.stage == READY

        return self.await_result(free_or_asked)

    def done(self, *arguments, **more):
        """A task that passes, acknowledged; returns format and output."""
        result = self.run(*arguments, **more)
        assert result.stage == COMPLETE, (result.reason, result.message, self.stderr_tail(result))
        output = self.output(result)
        self.acknowledge()
        return result.format, output

    def output(self, result):
        """What the trial wrote."""
        data = (self.output_dir / "task-0.out").read_bytes()
        assert len(data) >= result.out_length
        return data[: result.out_length]

    def stderr_tail(self, result):
        """What the trial left for the status."""
        data = (self.output_dir / "task-0.stderr").read_bytes()
        return data[: min(result.stderr, TAIL)].decode()

    def stderr(self):
        return (self.root / "stderr").read_text()

    def look(self):
        return Result(self.exec[HEADER : HEADER + STRIDE])

    def await_result(self, wanted):
        until = time.monotonic() + PATIENCE
        while not wanted(result := self.look()):
            self._await_bell(until)
        return result

    def _await_bell(self, until):
        """Sleeps until the doorbell has rung or the process has ended."""
        if self.process.poll() is not None:
            raise AssertionError(f"the handler ended with {self.process.returncode}: {self.stderr()}")
        if time.monotonic() > until:
            raise AssertionError(f"nothing came, U is {self.look().__dict__}; stderr: {self.stderr()}")
        bell = struct.unpack_from("<I", self.exec, 128)[0]
        struct.pack_into("<I", self.control, 128, 1)
        _futex(self.exec, 128, 0, bell, 0.01)

    def _store(self, op):
        struct.pack_into("<Q", self.control, HEADER + 64, self.generation << 8 | op)
        _futex(self.control, HEADER + 64, 1, 2**31 - 1, None)

    def _control(self, major):
        header = struct.pack("<8sHHIIIII16sQQQQ", b"QVRCTRL\0", major, 1, HEADER, 1, STRIDE, 0x01020304, 0,
                             b"region-region-id", self.in_capacity, self.out_capacity, 1, time.monotonic_ns())
        path = self.input_dir / "control"
        path.write_bytes(header.ljust(HEADER + STRIDE, b"\0"))
        return path

    def _exec(self):
        fd = os.memfd_create("exec", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        size = HEADER + STRIDE + MOST_TASKS * _OUTCOME.size
        os.ftruncate(fd, -(-size // HEADER) * HEADER)
        memory = mmap.mmap(fd, 0)
        memory[: HEADER] = bytes(self.control[: HEADER])
        memory[0:8] = b"QVREXEC\0"
        memory[48:HEADER] = bytes(HEADER - 48)
        struct.pack_into("<Q", memory, HEADER, READY)
        return fd, memory

    @staticmethod
    def _map(path, size):
        with open(path, "r+b") as file:
            return mmap.mmap(file.fileno(), size)

    @staticmethod
    def _file(path):
        return open(path, "w+b")


def _futex(memory, offset, operation, value, seconds):
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory, offset))
    limit = None if seconds is None else (ctypes.c_long * 2)(int(seconds), int(seconds % 1 * 1e9))
    _libc.syscall(ctypes.c_long(202 if os.uname().machine == "x86_64" else 98), ctypes.c_void_p(address),
                  ctypes.c_int(operation), ctypes.c_int(value), limit, None, ctypes.c_int(0))


def _command(handler, env):
    """The command record."""
    strings = [handler, *(f"{k}={v}" for k, v in (env or {}).items())]
    text = b"".join(s.encode() + b"\0" for s in strings)
    return struct.pack("<4sHHIIIIII", b"QCMD", 1, 0, 32 + len(text), 1, len(strings) - 1, 0, 0, 0) + text


def _aligned(data):
    return data.ljust((len(data) + 7) & ~7, b"\0")
