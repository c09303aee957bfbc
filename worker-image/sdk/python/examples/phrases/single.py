"""The same phrases by one process, to check the job with: prints them as JSON. An argument is how often files are read."""

import json
import sys

import pyarrow

import phrases


def main():
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    tables = [phrases.count_phrases(times, path) for path in phrases.list_services()]
    print(json.dumps(phrases.most_frequent(pyarrow.concat_tables(tables))))


if __name__ == "__main__":
    main()
