"""A report as a Task, and a walk over files: `python3 -m quiver pipeline`. The TaskSet's function `summarise`
serves here, too: one function for every kind of work."""

import base64
import collections
import os
import shutil

import pyarrow
import pyarrow.compute
import pyarrow.parquet

import columns  # registers summarise
import quiver
import samples  # noqa: F401  registers walk, checksum and square, among others


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


@quiver.handler("long_trips", arrow="table")
def long_trips(miles, chunk):
    """Of some row groups of a file, the trips that are longer: {"path": …, "rowGroups": […]}."""
    groups = pyarrow.parquet.ParquetFile(chunk["path"]).read_row_groups(chunk["rowGroups"], columns=["distance", "fare"])
    return groups.filter(pyarrow.compute.field("distance") > miles)


@quiver.handler("sum_fares", arrow="reader")
def sum_fares(reader):
    """All of them, batch by batch: more than memory would hold."""
    trips, fares = 0, 0.0
    for batch in reader:
        trips += batch.num_rows
        fares += pyarrow.compute.sum(batch["fare"]).as_py() or 0.0
    return {"trips": trips, "fares": round(fares)}
