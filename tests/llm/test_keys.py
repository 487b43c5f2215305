"""Keys are the same in every process, and differ in whatever changes the answer."""

import subprocess
import sys
from dataclasses import replace

from pydantic import BaseModel

from conqret.llm.request import Message, Request, request_key


class Small(BaseModel):
    rating: int


class Other(BaseModel):
    rating: float


ASKED = Request("ask", "item", (Message("user", "é\ud800"),), Small, max_tokens=100)
KEY = "5d6b2bda1ee6d7e295c6513e7ba63fb2a5e6318097b05c444e2aded78219ce52"


def test_the_key_is_the_same_in_another_process():
    code = "from tests.llm.test_keys import ASKED, request_key; print(request_key('m', ASKED))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == KEY


def test_labels_do_not_change_the_key_and_all_else_does():
    assert request_key("m", replace(ASKED, ask="other", item="other")) == KEY
    changed = [
        replace(ASKED, messages=(Message("system", "é\ud800"),)),
        replace(ASKED, messages=(Message("user", "e"),)),
        replace(ASKED, messages=(*ASKED.messages, Message("user", ""))),
        replace(ASKED, response=Other),
        replace(ASKED, temperature=0.7),
        replace(ASKED, max_tokens=101),
        replace(ASKED, sample=1),
        replace(ASKED, logprobs=True),
    ]
    keys = {KEY, request_key("n", ASKED), *(request_key("m", one) for one in changed)}
    assert len(keys) == len(changed) + 2
