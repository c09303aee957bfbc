"""Sums up columnar files: rows, mean and highest fare of each vendor. The same work two ways.

As a handler, `python3 -m quiver columns`: pyarrow is imported once for each process. As a command,
`python3 columns.py PATH`: it is imported for each file.
"""

import sys

import pyarrow
import pyarrow.parquet

import quiver


def sums(trips):
    """A table with a row for each vendor."""
    return trips.group_by("vendor").aggregate([("fare", "count"), ("fare", "mean"), ("fare", "max")]).sort_by("vendor")


def read(path):
    """The two columns that are needed; the file's other ones are not read."""
    return pyarrow.parquet.read_table(path, columns=["vendor", "fare"])


@quiver.handler("summarise")
def summarise(source, task):
    """Input: {"folder": ..., "files": n}, of which the task's index chooses one; or {"path": ...}; or a locator of a
    local Arrow file. Output: the sums, as an Arrow stream."""
    if isinstance(source, quiver.Locator):
        return sums(source.table())
    if "path" in source:
        return sums(read(source["path"]))
    index = int(task.env["QUIVER_INDEX"]) % source["files"]
    return sums(read(f"{source['folder']}/trips-{index:02}.parquet"))


def main():
    for vendor in sums(read(sys.argv[1])).to_pylist():
        print("{vendor}: {fare_count} trips, {fare_mean:.2f} on average, {fare_max:.2f} at most".format(**vendor))


if __name__ == "__main__":
    main()
