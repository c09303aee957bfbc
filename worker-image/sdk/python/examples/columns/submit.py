"""A program that creates 10,000 tasks and collects their results: `python3 submit.py NAMESPACE`, with the address of
Redis in the variable REDIS."""

import os
import sys
import time

import quiver

COUNT = 10_000


def main():
    began = time.monotonic()
    with quiver.client(os.environ["REDIS"], namespace=sys.argv[1]) as q:
        total = sum(task.result() for task in q.as_completed(q.map("square", range(COUNT), pool="columns"), timeout=300))
    assert total == sum(number * number for number in range(COUNT)), total
    print(f"{COUNT} squares make {total}, after {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    main()
