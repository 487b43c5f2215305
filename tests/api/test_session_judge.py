"""A judge that is called many times over one session, and the judges of the pytest plugin, which are such."""

import pytest

from conqret import DeclarationError, Item
from conqret.judging.session_judge import SessionJudge
from conqret.studies.sensitivity.assertions import ModelJudge
from tests.adapters.metered import DOCUMENTS, ITEMS, MeteredServer

ASKED = [
    Item(
        id=f"i{place}",
        topic=topic,
        argument=said,
        documents=tuple({"id": f"d{n}", "text": text} for n, text in enumerate(DOCUMENTS)),
    )
    for place, (topic, said) in enumerate(ITEMS)
]


def test_settings_that_no_session_can_do_are_refused_and_not_left_out():
    with pytest.raises(DeclarationError, match="calls that share a session take no batch: leave it out"):
        SessionJudge(format="direct", batch=None).judge(ASKED)


def test_calls_of_a_suite_share_budget_and_connections():
    with MeteredServer() as server:
        given = server.settings(metrics=["groundedness"], max_concurrency=1)
        judge = ModelJudge(format="direct", model=given.pop("model"), options=given)
        found = [judgment for item in ASKED for judgment in judge([item])]
        assert judge(ASKED) == found, "no item is asked about twice"
        server.check(connections=1)
    assert [judgment.item for judgment in found] == [item.id for item in ASKED]
