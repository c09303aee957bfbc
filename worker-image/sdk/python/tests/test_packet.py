import dataclasses

import pytest

from quiver.packet import Packet, State


def test_reads_and_writes_the_golden_packet(golden):
    packet = Packet.decode(golden("packet"))
    assert packet.state is State.RETRY
    assert (packet.worker, packet.name) == ("pool-abcd-0", "a/grün.t")
    assert (packet.generation, packet.trial, packet.allowed) == (7, 2, 3)
    assert (packet.elapsed_ns, packet.reason, packet.exit_code, packet.length) == (1_500_000_000, 1, 42, 11)
    assert packet.encode() == golden("packet")


def test_reads_and_writes_the_golden_packet_of_a_handler(golden):
    packet = Packet.decode(golden("handler-packet"))
    assert packet.kind == 2
    assert packet.encode() == golden("handler-packet")


def test_cuts_a_long_name_at_a_character(golden):
    packet = dataclasses.replace(Packet.decode(golden("packet")), name="x" + "ü" * 100)
    assert Packet.decode(packet.encode()).name == "x" + "ü" * 63


@pytest.mark.parametrize("data, words", [(bytes(255), "256 bytes"), (bytes(256), "0 is not a valid State")])
def test_refuses_bytes_that_are_no_packet(data, words):
    with pytest.raises(ValueError, match=words):
        Packet.decode(data)


def test_refuses_a_name_longer_than_its_field(golden):
    data = bytearray(golden("packet"))
    data[124:128] = (129).to_bytes(4, "little")
    with pytest.raises(ValueError, match="at most 128"):
        Packet.decode(data)
