"""The program of the `task-client` bench: submits tasks and collects their results, as the client's guide does it.

submit.py URL NAMESPACE POOL HANDLER TASKS all|each prints the seconds from the first submit to the last submitted task, and
to the last collected result: `all` waits for all and reads their results together, `each` reads each as it ends.
"""

import sys
import time

import quiver

url, namespace, pool, handler, tasks, way = sys.argv[1:]
count = int(tasks)

with quiver.client(url, namespace=namespace) as q:
    begin = time.monotonic()
    submitted = q.map(handler, range(count), pool=pool, keep=300)
    created = time.monotonic()
    if way == "all":
        results = q.results(submitted, timeout=300)
    else:
        results = [task.result() for task in q.as_completed(submitted, timeout=300)]
    end = time.monotonic()

if sorted(results) != list(range(count)):
    sys.exit("results are lost, or are there twice")
print(created - begin, end - begin)
