"""The worked example of docs/layouts.md does what it says."""

import re
from pathlib import Path
from typing import Any

from conqret.data import Debate, DebateArgument, Source

DOC = Path(__file__).parents[3] / "docs" / "layouts.md"


def test_the_worked_example() -> None:
    blocks = re.findall(r"```(\w+)\n(.*?)```", DOC.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {"html": next(text for kind, text in blocks if kind == "html")}
    for kind, text in blocks:
        if kind == "python":
            exec(compile(text, str(DOC), "exec"), names)
    assert names["debate"] == Debate(
        id="night-trains",
        url="https://twosides.example/night-trains",
        title="Should night trains be subsidised?",
        question="Should night trains be subsidised?",
        introduction="Night trains came back in 2016.",
        pros=(
            DebateArgument(
                title="They spare the climate", paragraphs=("A berth emits a tenth of a seat in the air.[1]",)
            ),
        ),
        cons=(
            DebateArgument(
                title="They run empty", paragraphs=("Half the berths stay unsold in winter [2].",)
            ),
        ),
        sources=(
            Source(
                number=1, title='Rail Office, "Berths", 2023', url="https://rail.example/berths", cited="2023"
            ),
            Source(number=2, title="Ledger of Sleepers, 2021", cited="2021"),
        ),
        layout="two-sides",
    )
