import subprocess
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[4]
GOLDEN = REPOSITORY / "operator/slots/src/test/resources/golden"


@pytest.fixture
def golden():
    """The bytes that the codecs in Java, C and Python share."""
    return lambda name: bytes.fromhex((GOLDEN / f"{name}.hex").read_text())


@pytest.fixture
def cluster(served):
    """A real API server without objects."""
    yield served
    served.delete()


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The one API server of all tests that ask for one."""
    import cluster as rig

    made = rig.Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        made.prepare()
        yield made
    finally:
        subprocess.run([rig.SCRIPT, "down", made.folder / "server"], check=True)


@pytest.fixture(scope="session")
def plugin(tmp_path_factory):
    """The plugin as one file."""
    file = tmp_path_factory.mktemp("plugin") / "kubectl-quiver"
    subprocess.run([Path(__file__).parents[1] / "build-plugin", file], check=True)
    return file
