"""A small judged run, in which something has no score."""

import conqret
from tests.contract.items import demo


def judged(output=False):
    """Four items in a format that asks for a stance, which one of them lacks."""
    items = [
        item.model_copy(update={"stance": "none" if n == 0 else item.stance})
        for n, item in enumerate(demo()[:4])
    ]
    return conqret.judge(items, format="controllability", output=output)


METRIC = "controllability"
WHY = "there was nothing to judge"
