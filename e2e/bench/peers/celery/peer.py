"""Celery's canvas as a peer of the benchmarks: reads one command a line, answers each with one line of JSON.

    shape single|chains|groups  what is filled from now on: tasks, chains of ten, chords of a hundred
    fill N                      brings the queue up to N tasks that were not run yet, as far as they can be counted
    run C warmMs windowMs       works on them with C processes; answers what was done within the window:
                                the warm-up begins with the first task, the window has one at least
    clear                       removes everything

All settings are Celery's defaults with Redis as broker and as result backend. A chord is a group whose end is told.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here / "lib"))

import redis  # noqa: E402
from celery import Celery, chain, chord  # noqa: E402

DATABASE = 3  # of its own, to clear it as a whole
ENTERED = "QUIVER_BENCH_ENTERED"  # a file that grows by a byte for each task that was entered
WORK = "QUIVER_BENCH_REDIS"
YOUNG = 1.5  # seconds after its first task in which a worker that has just been started is not measured
FILL_PORT = sys.argv[1] if len(sys.argv) == 3 and sys.argv[1].isdigit() else None


def uri(port):
    return f"redis://127.0.0.1:{port}/{DATABASE}"


app = Celery("peer", broker=os.environ.get(WORK) or uri(FILL_PORT), backend=os.environ.get(WORK) or uri(FILL_PORT))
entered = os.open(os.environ[ENTERED], os.O_WRONLY | os.O_APPEND) if ENTERED in os.environ else None


@app.task
def noop():
    os.write(entered, b".")


@app.task
def end(results):
    pass


SHAPES = {
    "single": (1, lambda: noop.si().apply_async()),
    "chains": (10, lambda: chain(noop.si() for _ in range(10)).apply_async()),
    "groups": (100, lambda: chord(noop.si() for _ in range(100))(end.s())),
}


class Peer:
    def __init__(self, work_port):
        self.work, self.redis = uri(work_port), redis.Redis.from_url(uri(FILL_PORT))
        self.tasks, self.add = SHAPES["single"]
        self.entered = here / f"entered-{os.getpid()}"

    def shape(self, name):
        self.tasks, self.add = SHAPES[name]
        return {}

    def left(self):
        return self.redis.llen("celery") * (1 if self.tasks == 100 else self.tasks)

    def fill(self, wanted):
        for _ in range(0, int(wanted) - self.left(), self.tasks):
            self.add()
        return {"waiting": self.left()}

    def run(self, concurrency, warm, window):
        self.entered.write_bytes(b"")
        worker = subprocess.Popen(
            [sys.executable, "-m", "celery", "-A", "peer", "worker", "-c", concurrency],
            cwd=here,
            env={**os.environ, "PYTHONPATH": f"{here / 'lib'}:{here}", WORK: self.work, ENTERED: str(self.entered)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            self.until(lambda: self.count() > 0, worker)
            time.sleep(max(int(warm) / 1000, YOUNG))
            before, begin = self.count(), time.monotonic()
            time.sleep(int(window) / 1000)
            self.until(lambda: self.count() > before, worker)
            done, seconds = self.count() - before, time.monotonic() - begin
            return {"done": done, "seconds": seconds, "left": self.left()}
        finally:
            os.killpg(worker.pid, signal.SIGKILL)
            worker.wait()
            self.entered.unlink()

    def count(self):
        return self.entered.stat().st_size

    @staticmethod
    def until(condition, worker):
        patience = time.monotonic() + 60
        while not condition():
            if time.monotonic() > patience or worker.poll() is not None:
                raise RuntimeError("no task within a minute, or the worker ended")
            time.sleep(0.001)

    def clear(self):
        self.redis.flushdb()
        return {}


def serve(peer):
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        command, *words = line.split()
        try:
            answer = getattr(peer, command)(*words)
        except Exception as error:
            answer = {"error": repr(error)}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    serve(Peer(sys.argv[2]))
