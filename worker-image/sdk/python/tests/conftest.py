from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[4]
GOLDEN = REPOSITORY / "operator/slots/src/test/resources/golden"


@pytest.fixture
def golden():
    """The bytes that the codecs in Java, C and Python share."""
    return lambda name: bytes.fromhex((GOLDEN / f"{name}.hex").read_text())
