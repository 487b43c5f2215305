"""Keys are the same in every process, and differ in whatever changes the answer."""

import subprocess
import sys
from dataclasses import replace

from pydantic import BaseModel

from conqret.llm import Message
from conqret.llm.keys import Sending


class Small(BaseModel):
    rating: int


class Other(BaseModel):
    rating: float


SENDING = Sending("m", "ask", "item", (Message("user", "é\ud800"),), Small, 0.0, 100, 0, logprobs=False)
KEY = "5d6b2bda1ee6d7e295c6513e7ba63fb2a5e6318097b05c444e2aded78219ce52"


def test_the_key_of_a_fixed_request():
    assert SENDING.key() == KEY


def test_the_key_is_the_same_in_another_process():
    code = "from tests.llm.test_keys import SENDING; print(SENDING.key())"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == KEY


def test_labels_do_not_change_the_key_and_all_else_does():
    assert replace(SENDING, ask="other", item="other").key() == KEY
    changed = [
        replace(SENDING, model="n"),
        replace(SENDING, messages=(Message("system", "é\ud800"),)),
        replace(SENDING, messages=(Message("user", "e"),)),
        replace(SENDING, messages=(*SENDING.messages, Message("user", ""))),
        replace(SENDING, response=Other),
        replace(SENDING, temperature=0.7),
        replace(SENDING, max_tokens=101),
        replace(SENDING, sample=1),
        replace(SENDING, logprobs=True),
    ]
    assert len({sending.key() for sending in changed} | {KEY}) == len(changed) + 1
