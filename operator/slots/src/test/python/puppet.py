"""An executor that does what it is told, honest or not: `puppet.py IN OUT`, one order a line on stdin, "ok" after each.

What it may do to the shared memory, the files and the socket is what any process in the user's container may do. The
numbers are those of operator/slots, layout/*Descriptor.java.
"""

import ctypes
import fcntl
import mmap
import os
import random
import socket
import struct
import sys
import time

HEADER, STRIDE, FRAME, OUTCOMES = 4096, 256, 64, 64 * 176
EXEC_MAGIC, FRAME_MAGIC = 0x0043455845525651, 0x4D524651
READY, RUNNING, COMPLETE, RETRY, CLEANING = 1, 2, 3, 4, 5
SEALS = fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW
ADD_SEALS = fcntl.F_ADD_SEALS
PUNCH_HOLE, KEEP_SIZE = 2, 1
libc = ctypes.CDLL(None, use_errno=True)


class Puppet:
    def __init__(self, inputs, outputs):
        self.inputs, self.outputs = inputs, outputs
        self.door = None
        self.memory = None

    # ---- honest beginnings ----

    def dial(self):
        """A connection to the supervisor; its first frame says which region it means."""
        door = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        door.connect(os.path.join(self.inputs, "socket"))
        hello = door.recv(FRAME, socket.MSG_WAITALL)
        return door, hello

    def frame(self, kind, slots=0, magic=FRAME_MAGIC, major=1):
        return struct.pack("<IHHII16sQQI12x", magic, major, kind, slots, 0, self.region, self.epoch, len(self.exec), os.getpid())

    def make(self, seals=SEALS, more=0, major=1, region=None):
        """Maps control, makes exec with every U = (S.g, ready)."""
        with open(os.path.join(self.inputs, "control"), "rb") as file:
            self.control = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
        self.slots = struct.unpack_from("<I", self.control, 16)[0]
        self.region = self.control[32:48]
        self.epoch = time.monotonic_ns()
        size = (HEADER + self.slots * (STRIDE + OUTCOMES) + 4095) // 4096 * 4096 + more
        if self.memory is not None:
            os.close(self.memory)
        self.memory = os.memfd_create("quiver-exec", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
        os.ftruncate(self.memory, size)
        self.exec = mmap.mmap(self.memory, size)
        fcntl.fcntl(self.memory, ADD_SEALS, seals)
        self.exec[0:48] = self.control[0:48]
        struct.pack_into("<QHH", self.exec, 0, EXEC_MAGIC, major, 2)
        struct.pack_into("<Q", self.exec, 48, self.epoch)
        if region is not None:
            self.exec[32:48] = region
        for slot in range(self.slots):
            self.store(slot, self.supervisor(slot) >> 8, READY)

    def send(self, data, descriptors=()):
        socket.send_fds(self.door, [data], list(descriptors))

    def connect(self, **how):
        self.make(**how)
        self.door, _ = self.dial()
        self.send(self.frame(2, self.slots), [self.memory])

    # ---- the words ----

    def supervisor(self, slot):
        return struct.unpack_from("<Q", self.control, HEADER + slot * STRIDE + 64)[0]

    def mine(self, slot):
        return struct.unpack_from("<Q", self.exec, HEADER + slot * STRIDE)[0]

    def store(self, slot, generation, code):
        struct.pack_into("<Q", self.exec, HEADER + slot * STRIDE, generation << 8 | code)

    def put(self, slot, at, pattern, *values):
        struct.pack_into("<" + pattern, self.exec, HEADER + slot * STRIDE + at, *values)

    def ring(self, times=1):
        for _ in range(times):
            bell = struct.unpack_from("<I", self.exec, 128)[0]
            struct.pack_into("<I", self.exec, 128, (bell + 1) & 0xFFFFFFFF)

    def path(self, slot, ending="out"):
        return os.path.join(self.outputs, f"task-{slot}.{ending}")

    def begin(self, slot):
        """running, as soon as the supervisor has dispatched."""
        while self.supervisor(slot) & 0xFF != 1 or self.supervisor(slot) >> 8 != (self.mine(slot) >> 8) + 1:
            time.sleep(0.001)
        self.exec[HEADER + slot * STRIDE + 16:HEADER + (slot + 1) * STRIDE] = bytes(STRIDE - 16)
        self.put(slot, 16, "Q", time.monotonic_ns())
        self.store(slot, self.supervisor(slot) >> 8, RUNNING)

    def end(self, slot, passed=True, output=b"hello"):
        with open(self.path(slot), "wb") as file:
            file.write(output)
        self.put(slot, 24, "QQ", time.monotonic_ns(), len(output))
        if not passed:
            self.put(slot, 44, "i", 17)
        self.store(slot, self.mine(slot) >> 8, COMPLETE if passed else RETRY)
        self.ring()

    def clean(self, slot):
        """ready again, as soon as the supervisor has acknowledged or called off."""
        while self.supervisor(slot) & 0xFF not in (2, 4):
            time.sleep(0.001)
        self.store(slot, self.supervisor(slot) >> 8, CLEANING)
        self.store(slot, self.supervisor(slot) >> 8, READY)
        self.ring()

    # ---- deeds ----

    def swap(self, slot, what):
        path = self.path(slot)
        if os.path.lexists(path) and what not in ("cut", "grow", "second-name"):
            os.rmdir(path) if os.path.isdir(path) and not os.path.islink(path) else os.unlink(path)
        if what == "symlink":
            os.symlink("/etc/passwd", path)
        elif what == "fifo":
            os.mkfifo(path)
        elif what == "folder":
            os.mkdir(path)
        elif what == "socket":
            socket.socket(socket.AF_UNIX).bind(path)
        elif what == "second-name":
            os.link(path, path + ".second")
        elif what == "cut":
            os.truncate(path, 2)
        elif what == "grow":
            os.truncate(path, 1 << 40)

    def race(self, slot, seconds):
        """The output is now this, now that, now nothing."""
        until = time.monotonic() + seconds
        own, link, there = self.path(slot) + ".own", self.path(slot) + ".link", self.path(slot)
        secret = self.path(slot) + ".secret"
        with open(secret, "wb") as file:
            file.write(b"SECRE")
        while time.monotonic() < until:
            with open(own, "wb") as file:
                file.write(b"hello")
            os.rename(own, there)
            os.symlink(secret, link)
            os.rename(link, there)
            os.unlink(there)
            os.mkfifo(there)
            os.unlink(there)
        with open(there, "wb") as file:
            file.write(b"hello")

    def flip(self, seed, seconds):
        """Random bytes everywhere, words more often than the rest."""
        chance = random.Random(seed)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for _ in range(64):
                slot = chance.randrange(self.slots)
                if chance.random() < 0.5:
                    generation = (self.supervisor(slot) >> 8) + chance.randrange(-1, 2)
                    self.store(slot, max(0, generation), chance.randrange(0, 7))
                else:
                    at = chance.randrange(0, len(self.exec) - 8)
                    struct.pack_into("<Q", self.exec, at, chance.getrandbits(64))
            self.ring()

    def punch(self):
        if libc.fallocate(self.memory, PUNCH_HOLE | KEEP_SIZE, ctypes.c_long(0), ctypes.c_long(len(self.exec))) != 0:
            raise OSError(ctypes.get_errno(), "fallocate")

    def flood_bell(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            self.ring(100)
            self.wake()

    def wake(self):
        address = ctypes.addressof(ctypes.c_char.from_buffer(self.exec, 128))
        libc.syscall(202 if os.uname().machine == "x86_64" else 98, ctypes.c_void_p(address), 1, 1 << 30, None, None, 0)

    def flood_wakes(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            for _ in range(100):
                self.wake()

    def flood_frames(self, kind, seconds):
        self.door.settimeout(0.05)
        until = time.monotonic() + seconds
        sent = 0
        while time.monotonic() < until:
            try:
                sent += self.door.send(self.frame(kind))
                struct.pack_into("<I", self.exec, 256, sent & ~1)
            except socket.timeout:
                pass  # the supervisor does not read that fast: as it should be
        return sent

    def flood_descriptors(self, seconds):
        self.door.settimeout(0.05)
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                socket.send_fds(self.door, [b"Q"], [self.memory, self.memory])
            except (socket.timeout, OSError):
                time.sleep(0.01)

    def flood_door(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            caller = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_NONBLOCK)
            try:
                caller.connect(os.path.join(self.inputs, "socket"))
                caller.send(b"\xff" * FRAME)
            except OSError:
                pass
            caller.close()

    def impersonate(self):
        """A second agent: is it let in?"""
        second, hello = None, b""
        try:
            second, hello = self.dial()
            socket.send_fds(second, [self.frame(2, self.slots)], [self.memory])
            second.settimeout(120)
            return "heard" if hello or second.recv(FRAME) else "turned-away"
        except (ConnectionError, BrokenPipeError):
            return "turned-away"

    def present(self, what):
        """A connection whose EXEC frame brings something else."""
        self.make()
        self.door, _ = self.dial()
        if what == "nothing":
            return self.send(self.frame(2, self.slots))
        if what == "two":
            return self.send(self.frame(2, self.slots), [self.memory, self.memory])
        if what == "garbage":
            return self.send(os.urandom(FRAME))
        if what == "major":
            return self.send(self.frame(2, self.slots, major=2), [self.memory])
        if what == "type":
            return self.send(self.frame(99, self.slots))
        if what == "null":
            return self.send(self.frame(2, self.slots), [os.open("/dev/null", os.O_RDWR)])
        if what == "file":
            return self.send(self.frame(2, self.slots), [os.open(self.path(0), os.O_RDWR | os.O_CREAT)])
        if what == "pipe":
            return self.send(self.frame(2, self.slots), [os.pipe()[0]])
        if what == "unsealed":
            self.make(seals=0)
        elif what == "half-sealed":
            self.make(seals=fcntl.F_SEAL_SHRINK)
        elif what == "large":
            self.make(more=4096)
        elif what == "version":
            self.make(major=2)
        elif what == "region":
            self.make(region=bytes(16))
        return self.send(self.frame(2, self.slots), [self.memory])

    def names(self, sequence, length, hexadecimal):
        data = bytes.fromhex(hexadecimal)
        struct.pack_into("<II", self.exec, 256, sequence, length)
        self.exec[272:272 + len(data)] = data
        self.send(self.frame(5))

    def hang_up(self):
        self.door.close()

    def come_back(self):
        """Connects again with the memory of before."""
        self.door, _ = self.dial()
        self.send(self.frame(2, self.slots), [self.memory])


def value(word):
    try:
        return float(word) if "." in word else int(word, 0)
    except ValueError:
        return word


def main():
    puppet = Puppet(sys.argv[1], sys.argv[2])
    for line in sys.stdin:
        order, *words = line.split()
        try:
            answer = getattr(puppet, order)(*[value(word) if order != "names" or i < 2 else word for i, word in enumerate(words)])
            print("ok" if answer is None else f"ok {answer}", flush=True)
        except Exception as failure:  # the test says what it makes of it
            print(f"failed {type(failure).__name__} {failure}", flush=True)


main()
