"""The functions that crds/examples and the guides call: `python3 -m quiver samples`. Plain Python, so that a process of
it takes 20 MB. What they read lies in /data of the image: sample_data.py makes it."""

import collections
import contextlib
import gzip
import hashlib
import itertools
import os
import re
import shutil
import tempfile

import quiver

_WORD = re.compile(r"[a-z]+")


@quiver.handler("checksum")
def checksum(path, options=None):
    """SHA-256 of a file, or what {"algorithm": …} names."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, (options or {}).get("algorithm", "sha256")).hexdigest()


@quiver.handler("square")
def square(number):
    return number * number


@quiver.handler("length")
def length(text):
    return len(text)


# Words of texts: as a chain, and as a map-reduce.


@quiver.handler("split")
def split(folder):
    """The texts below a folder: an array of paths, each of which is a chunk, or an element of a forEach."""
    return list(files_below(folder, ".txt"))


@quiver.handler("count")
def count(path):
    """How often each word stands in a text."""
    with open(path) as file:
        return dict(collections.Counter(_WORD.findall(file.read().lower())))


@quiver.handler("add")
def add(counts):
    """The sum of counts, which is a count again: so neighbours may be added first, and their sums later."""
    return dict(sum(map(collections.Counter, counts), collections.Counter()))


@quiver.handler("top")
def top(most, counts):
    """The most frequent words, each with its count; of equally frequent ones the first in the alphabet."""
    return sorted(add(counts).items(), key=lambda word: (-word[1], word[0]))[:most]


@quiver.handler("merge_counts")
def merge_counts(paths, counts):
    """What a chain gives: the paths of its first step, and the counts of each, null where a text could not be read."""
    read = [each for each in counts if each is not None]
    return {"texts": len(paths), "unread": len(paths) - len(read), "words": sum(add(read).values())}


@quiver.handler("remove_scratch")
def remove_scratch(folder, outcome):
    """Runs at the end, however that came: outcome is {"state": …, "result": …} or {"state": …, "error": …}."""
    shutil.rmtree(folder, ignore_errors=True)
    print(f"removed {folder}: the run is {outcome['state']}")


# Photos, in the simplest format that there is.


@quiver.handler("list_photos")
def list_photos(folder):
    return list(files_below(folder, ".pgm"))


@quiver.handler("resize")
def resize(photo, width=32):
    """Writes a smaller copy of a greyscale image (binary PGM) into /tmp/photos, and says where it is."""
    with open(photo, "rb") as file:
        kind, *size = file.readline().split()
        pixels = file.read()
    if kind != b"P5" or len(size) != 3 or size[-1] != b"255":
        raise quiver.DoNotRetry(f"{photo} is no PGM of 8 bits with one line before its pixels")
    columns, rows = int(size[0]), int(size[1])
    height = max(1, rows * width // columns)
    small = bytes(pixels[y * rows // height * columns + x * columns // width] for y in range(height) for x in range(width))
    os.makedirs("/tmp/photos", exist_ok=True)
    path = f"/tmp/photos/{os.path.basename(photo)}"
    with open(path, "wb") as file:
        file.write(b"P5 %d %d 255\n" % (width, height) + small)
    return {"path": path, "width": width, "height": height}


@quiver.handler("publish")
def publish(photo, width):
    """A smaller copy, and a task of its own for its checksum."""
    copy = resize(photo, width)
    return quiver.Done(copy, tasks=[quiver.call("checksum", copy["path"])])


@quiver.plan("publish")
def plan_publish(photo):
    """A large photo gets a wider copy, and waits for the others."""
    large = os.path.getsize(photo) > 4096
    return quiver.Plan(args=[photo, 64 if large else 32], rel_priority=-1 if large else 0)


@quiver.handler("save-draft")
def save_draft(text):
    return {"saved": text}


@quiver.plan("save-draft")
def plan_draft(text, task):
    """People of this machine see the draft at once, and what takes it away is kept where the Task asks for that."""
    shown = os.path.join(tempfile.gettempdir(), "draft-" + hashlib.sha256(text.encode()).hexdigest()[:8])
    with open(shown, "w") as file:
        file.write(text)
    return quiver.Plan(undo=[quiver.call("drop-draft", shown)] if task.undo else [])


@quiver.handler("drop-draft")
def drop_draft(shown):
    with contextlib.suppress(FileNotFoundError):
        os.remove(shown)


_OUTBOX = os.path.join(tempfile.gettempdir(), "outbox")


@quiver.handler("send")
def send(mail):
    """What must not be done twice: this outbox is of one machine, that of a mail server knows each mail by a key."""
    with open(_OUTBOX, "a") as out:
        out.write(mail + "\n")
    return {"sent": mail}


@quiver.contingency("send")
def was_sent(mail):
    sent = open(_OUTBOX).read().splitlines() if os.path.exists(_OUTBOX) else []
    return quiver.Done({"sent": mail}) if mail in sent else quiver.Redo()


_FLAGS = os.path.join(tempfile.gettempdir(), "flags")


@quiver.complex("flags")
class Flags:
    """Of messages. A request and its opposite, while both wait, are nothing to do."""

    def plan(self, request, state, markers):
        name = f"{request['message']}.{request['flag']}"
        if state.get(name) == (not request["on"]):
            return quiver.Done("void", state=[quiver.delete(name)], markers={name: None})
        return quiver.Done("waits", state=[quiver.set(name, request["on"])], markers={name: quiver.marker()})

    def execute(self, state, marker):
        """A file stands for the server that keeps the flags."""
        name = marker["id"]
        with open(_FLAGS, "a") as flags:
            flags.write(f"{name} {state[name]}\n")
        return quiver.Done(state=[quiver.delete(name)])


@quiver.handler("report")
def report(photos, thumbnails):
    return {"photos": len(photos), "thumbnails": sum(each is not None for each in thumbnails)}


# A log that a job reads by itself, as its input names the place only.


@quiver.handler("split_logs")
def split_logs(source):
    """Chunks of a hundred lines of a gzip; source is {"locator": a path, "format": "Bytes"}."""
    with gzip.open(source["locator"], "rt") as file:
        lines = file.readlines()
    return ["".join(lines[at : at + 100]) for at in range(0, len(lines), 100)]


@quiver.handler("count_errors")
def count_errors(lines):
    return sum(" ERROR " in line for line in lines.splitlines())


@quiver.handler("total")
def total(numbers):
    return sum(numbers)


# Rows of a file, and files of a folder, that nobody has counted before.


@quiver.iterator("rows")
def rows(path, it):
    """A chunk for each row. it.state is how far the calls before this one came."""
    with open(path) as file:
        file.seek(it.state or 0)
        while line := file.readline():
            it.state = file.tell()  # before the yield: where the next call goes on
            yield line


@quiver.handler("check")
def check(row):
    """Whether a row has a number and an amount."""
    return bool(re.fullmatch(r"\d+,\d+\.\d\d\n", row))


@quiver.handler("tally")
def tally(verdicts):
    return {"rows": len(verdicts), "bad": verdicts.count(False)}


@quiver.iterator("walk")
def walk(folder, suffix, it):
    """A task for each file below the folder. A call goes on where the one before it stopped: after `it.created` files."""
    count = it.created
    for path in itertools.islice(files_below(folder, suffix), it.created, None):
        count += 1
        yield quiver.call("checksum", path)
    return {"files": count}


def files_below(folder, suffix):
    """The paths of the files whose names end so, in order."""
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(suffix):
                yield os.path.join(root, name)


# A job under the prefix of a map-reduce queue: its type is sum.


@quiver.handler("sum.map")
def sum_map(data):
    return data


@quiver.handler("sum.process")
def sum_process(number):
    return number


@quiver.handler("sum.reduce")
def sum_reduce(numbers):
    return sum(numbers)
