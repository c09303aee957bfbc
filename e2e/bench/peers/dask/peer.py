"""The example of phrases in one process, and by Dask distributed: the same functions, the same fan-in of the sums.

    peer.py WORKERS TIMES     WORKERS processes of Dask with a thread each; 0: no Dask. Files are read TIMES times

Prints a line when all is there, and begins when a line comes. Then it prints one line of JSON: seconds, phrases.
"""

import json
import sys
import time

import pyarrow

import phrases

FAN_IN = 16
WORKERS, TIMES = map(int, sys.argv[1:3])


def added(*tables):
    return phrases.add_phrases(pyarrow.concat_tables(tables))


def single():
    return phrases.most_frequent(pyarrow.concat_tables(
        phrases.count_phrases(TIMES, path) for path in phrases.list_services()))


def by_dask(client):
    level = client.map(phrases.count_phrases, [TIMES] * len(PATHS), PATHS, pure=False)
    while len(level) > 1:
        level = [client.submit(added, *level[first:first + FAN_IN], pure=False)
                 for first in range(0, len(level), FAN_IN)]
    return client.submit(phrases.most_frequent, level[0], pure=False).result()


def measured(work):
    print("ready", flush=True)
    sys.stdin.readline()
    began = time.perf_counter()
    result = work()
    print(json.dumps({"seconds": time.perf_counter() - began, "phrases": result}), flush=True)
    sys.stdin.readline()  # its memory is read as long as it is there


if __name__ == "__main__":
    PATHS = phrases.list_services()
    if WORKERS == 0:
        measured(single)
    else:
        from dask.distributed import Client, LocalCluster

        with LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=None,
                          host="127.0.0.1") as cluster, Client(cluster) as client:
            client.run(phrases.list_services)  # its imports are there
            measured(lambda: by_dask(client))
