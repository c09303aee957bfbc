"""The same phrases by one plain process, to check the job with: prints them as JSON.

Nothing of the job is used, and no Arrow: files are found by a pattern, and one dictionary counts.
"""

import glob
import gzip
import heapq
import json
import os.path

import botocore

WORDS, SHOWN = 3, 20
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")


def descriptions(path):
    """All texts under the name `documentation` in a file."""
    found = []

    def collect(pairs):
        found.extend(value for name, value in pairs if name == "documentation" and isinstance(value, str))

    json.loads(gzip.open(path).read(), object_pairs_hook=collect)
    return found


def words(text):
    """The words of a text, without its tags."""
    seen, at = [], 0
    while (begin := text.find("<", at)) >= 0 and (end := text.find(">", begin)) >= 0:
        seen += [text[at:begin], " "]
        at = end + 1
    plain = "".join([*seen, text[at:]]).lower()
    return "".join(letter if letter in LETTERS else " " for letter in plain).split()


def main():
    counts = {}
    data = os.path.join(os.path.dirname(botocore.__file__), "data")
    for path in glob.glob(os.path.join(data, "*", "*", "service-2.json.gz")):
        for text in descriptions(path):
            of = words(text)
            for first in range(len(of) - WORDS + 1):
                phrase = " ".join(of[first:first + WORDS])
                counts[phrase] = counts.get(phrase, 0) + 1
    print(json.dumps(heapq.nsmallest(SHOWN, counts.items(), key=lambda each: (-each[1], each[0]))))


if __name__ == "__main__":
    main()
