"""What native code writes is swallowed, and shown where it fails."""

import os

import pytest

from conqret.retrieval.engines.pisa import silenced


def test_descriptors_come_back(capfd):
    os.write(1, b"before ")
    with silenced():
        os.write(1, b"chatter")
        os.write(2, b"chatter")
    os.write(1, b"after")
    assert capfd.readouterr() == ("before after", "")


def test_an_error_carries_what_was_said(capfd):
    @silenced()
    def fail():
        os.write(2, b"the disk is full")
        raise ValueError("broken")

    with pytest.raises(ValueError, match="broken") as caught:
        fail()
    assert caught.value.__notes__ == ["the engine said: the disk is full"]
    assert capfd.readouterr() == ("", "")
