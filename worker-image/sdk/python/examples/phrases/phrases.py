"""The most frequent phrases of a large documentation, as a map-reduce: `python3 -m quiver phrases`.

The corpus is what the package botocore has about each service of a cloud: 441 files with descriptions in English, 95 MB.
A chunk is a file. Its counts are a table, and the sum of such tables is one again.
"""

import collections
import gzip
import json
import re
from importlib import resources

import pyarrow

import quiver

WORDS = 3  # of a phrase
SHOWN = 20

_TAG = re.compile(r"<[^>]*>")
_WORD = re.compile(r"[a-z]+")


@quiver.handler("list_services")
def list_services():
    """The chunks: the path of each service's description."""
    data = resources.files("botocore") / "data"
    return sorted(str(file) for service in data.iterdir() if service.is_dir()
                  for version in service.iterdir() if version.is_dir()
                  for file in version.iterdir() if file.name == "service-2.json.gz")


@quiver.handler("count_phrases")
def count_phrases(times, path):
    """How often each phrase stands in a file that is read so many times, which a benchmark wants."""
    counts = collections.Counter()
    for _ in range(times):
        for text in _descriptions(json.loads(gzip.open(path).read())):
            words = _WORD.findall(_TAG.sub(" ", text).lower())
            counts.update(map(" ".join, zip(*(words[first:] for first in range(WORDS)))))
    phrases = sorted(counts)
    return pyarrow.table({"phrase": phrases, "count": pyarrow.array(map(counts.get, phrases), pyarrow.int64())})


def _descriptions(node):
    if isinstance(node, dict):
        for name, value in node.items():
            if name == "documentation" and isinstance(value, str):
                yield value
            else:
                yield from _descriptions(value)
    elif isinstance(node, list):
        for value in node:
            yield from _descriptions(value)


@quiver.handler("add_phrases")
def add_phrases(table):
    """The sum of counts. Several tables come as one."""
    return table.group_by("phrase").aggregate([("count", "sum")]).rename_columns(["phrase", "count"]).combine_chunks()


@quiver.handler("most_frequent")
def most_frequent(table):
    """The phrases that stand there most often, with their counts."""
    ordered = add_phrases(table).sort_by([("count", "descending"), ("phrase", "ascending")])
    return [[row["phrase"], row["count"]] for row in ordered.slice(0, SHOWN).to_pylist()]
