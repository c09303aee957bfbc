"""Some workers are slow, as the bench says; each test notes when it began and ended."""
import json
import os
import time

import pytest

SUITE = json.loads(os.environ.get("SUITE", "{}"))
WORKER = os.environ.get("PYTEST_XDIST_WORKER", "")


def pytest_generate_tests(metafunc):
    metafunc.parametrize("seconds", SUITE["seconds"], ids=[f"{i:03}" for i in range(len(SUITE["seconds"]))])


@pytest.fixture
def rest():
    def sleep(seconds):
        slow = WORKER in SUITE["slow"] and time.time() >= SUITE["from"]
        begun = time.time()
        time.sleep(seconds * (SUITE["factor"] if slow else 1))
        with open(SUITE["notes"], "a") as notes:
            notes.write(f"{begun} {time.time()}\n")
    return sleep
