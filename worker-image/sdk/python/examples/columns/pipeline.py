"""A report as a Task, and a walk over files: `python3 -m quiver pipeline`. The TaskSet's function `summarise`
serves here, too: one function for every kind of work."""

import base64
import collections
import hashlib
import itertools
import os
import shutil

import pyarrow

import columns  # registers summarise
import quiver


@quiver.handler("list_files")
def list_files(folder, scratch):
    """The inputs of summarise, one for each file; makes the scratch folder of this run."""
    os.makedirs(scratch, exist_ok=True)
    return [{"path": entry.path} for entry in sorted(os.scandir(folder), key=str) if entry.name.endswith(".parquet")]


@quiver.handler("merge")
def merge(scratch, results):
    """All sums in one: trips, mean and highest fare of each vendor. A result in Arrow comes as base64."""
    parts = [pyarrow.ipc.open_stream(base64.b64decode(part["base64"])).read_all() for part in results]
    report = {}
    for row in pyarrow.concat_tables(parts).to_pylist():
        vendor = report.setdefault(row["vendor"], {"trips": 0, "fares": 0.0, "highest": 0.0})
        vendor["trips"] += row["fare_count"]
        vendor["fares"] += row["fare_count"] * row["fare_mean"]
        vendor["highest"] = max(vendor["highest"], row["fare_max"])
    for vendor in report.values():
        vendor["mean"] = round(vendor.pop("fares") / vendor["trips"], 2)
        vendor["highest"] = round(vendor["highest"], 2)
    return report


@quiver.handler("clean")
def clean(scratch, outcome):
    """Runs at the end, however that came: outcome is {"state": …, "result": …} or {"state": …, "error": …}."""
    shutil.rmtree(scratch, ignore_errors=True)
    print(f"the report is {outcome['state']}")


@quiver.handler("paths")
def paths(folder):
    """The chunks of a map-reduce: one for each file."""
    return sorted(entry.path for entry in os.scandir(folder) if entry.name.endswith(".parquet"))


@quiver.handler("count_fares")
def count_fares(path):
    """How many trips of one file cost how many whole dollars."""
    fares = columns.read(path)["fare"]
    return dict(collections.Counter(str(int(fare)) for fare in fares.to_pylist()))


@quiver.handler("add_counts")
def add_counts(parts):
    """The sum of counts, which is a count again: so neighbours may be added first, and their sums later."""
    return dict(sum(map(collections.Counter, parts), collections.Counter()))


@quiver.handler("spread")
def spread(parts):
    """The trips of all files, and the fare that half of them do not exceed."""
    counts = {int(fare): count for fare, count in add_counts(parts).items()}
    trips = sum(counts.values())
    below = 0
    for fare in sorted(counts):
        below += counts[fare]
        if 2 * below >= trips:
            return {"trips": trips, "median": fare}


@quiver.iterator("walk")
def walk(folder, suffix, it):
    """A task for each file below the folder. A call goes on where the one before it stopped: after `it.created` files."""
    count = it.created
    for path in itertools.islice(_files(folder, suffix), it.created, None):
        count += 1
        yield quiver.call("checksum", path)
    return {"files": count}


def _files(folder, suffix):
    for root, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            if name.endswith(suffix):
                yield os.path.join(root, name)


@quiver.handler("checksum")
def checksum(path):
    """SHA-256 of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@quiver.handler("square")
def square(number):
    """Of the program submit.py."""
    return number * number
